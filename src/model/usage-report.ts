/** Usage statistics of an instance: data exchanged between its processes and sent to the target. */

/** By event and figure: its state, as `src/telemetry/measures.ts` computes it. */
export type UsageReport = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A value that is sent; never contains text of users. */
export type ToldFigure = number | string | boolean | null | readonly string[];
export type ToldFigures = Readonly<Record<string, ToldFigure>>;

/** One request to the telemetry target. */
export interface TelemetryBundle {
  readonly instanceUid: string;
  /** Start of the period that its events cover. */
  readonly from: string;
  readonly to: string;
  /** System, launch options and sizes of the instance. */
  readonly instance: ToldFigures;
  readonly events: readonly { readonly event: string; readonly figures: ToldFigures }[];
}

export interface TelemetryPreview {
  /** False with `--no-analytics`: nothing is counted. */
  readonly isCounting: boolean;
  /** Scheme, host and port of the target; null = none. */
  readonly target: string | null;
  /** Time at which the bundles, with later events, are sent; null = never. */
  readonly sendsAt: string | null;
  readonly bundles: readonly TelemetryBundle[];
}
