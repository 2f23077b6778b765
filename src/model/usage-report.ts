/** Usage statistics of an instance: data exchanged between its processes and sent to the target. */

/** State of a figure: numbers by name, as `src/telemetry/measures.ts` adds them up. */
export type Counts = Record<string, number>;

/** By event and figure. */
export type UsageReport = Readonly<Record<string, Readonly<Record<string, Counts>>>>;

/** A value that is sent; never contains text of users. */
export type FigureValue = number | string | boolean | null | readonly string[];
export type FigureValues = Readonly<Record<string, FigureValue>>;

export interface TelemetryBundle {
  readonly instanceUid: string;
  /** Start of the period that its events cover. */
  readonly from: string;
  readonly to: string;
  /** System, launch options and sizes of the instance. */
  readonly instance: FigureValues;
  readonly events: readonly { readonly event: string; readonly figures: FigureValues }[];
}

export interface TelemetryPreview {
  /** False with `--no-analytics`: nothing is counted. */
  readonly isCounting: boolean;
  /** Scheme, host and port of the target; null = none. */
  readonly target: string | null;
  /** Time at which the bundle, with later events, is sent; null = never. */
  readonly sendsAt: string | null;
  readonly bundles: readonly TelemetryBundle[];
}
