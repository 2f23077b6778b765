/** Figures of how an instance is used, on their way between its processes and out of it. */

/** By event and name of the figure: its state so far, as `src/telemetry/measures.ts` adds it up. */
export type UsageReport = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A figure as it is told: never text that a user has written. */
export type ToldFigure = number | string | boolean | null | readonly string[];
export type ToldFigures = Readonly<Record<string, ToldFigure>>;

/** What one request brings to the server that is told. */
export interface TelemetryBundle {
  readonly instanceUid: string;
  /** The time that the figures of its events cover. */
  readonly from: string;
  readonly to: string;
  /** Of the instance: system, launch options, sizes. */
  readonly instance: ToldFigures;
  readonly events: readonly { readonly event: string; readonly figures: ToldFigures }[];
}

export interface TelemetryPreview {
  /** False with `--no-analytics`: nothing is counted then. */
  readonly isCounting: boolean;
  /** Scheme, host and port of the server that is told; null = nobody is. */
  readonly target: string | null;
  /** When the bundles below, with what comes until then, are sent; null = never. */
  readonly sendsAt: string | null;
  readonly bundles: readonly TelemetryBundle[];
}
