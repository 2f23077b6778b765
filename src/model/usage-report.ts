/** Usage statistics of an instance: data exchanged between its processes and sent to the target. */

/** Numbers by name. */
export type Counts = Record<string, number>;

export interface RouteUsage {
  /** Requests by outcome, and by parameter that was set. */
  readonly counts: Counts;
  /** Requests by class of their duration. */
  readonly durations: Counts;
}

/** What fronts counted since the last report; by client, media type and id of the route. */
export interface UsageReport {
  readonly clients: Counts;
  readonly mediaTypes: Counts;
  readonly routes: Record<string, RouteUsage>;
}

/** Values that are sent; they never contain text of users. */
export type FigureValues = Readonly<
  Record<string, number | string | boolean | null | readonly string[]>
>;

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
