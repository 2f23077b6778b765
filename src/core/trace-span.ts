/** A part of a distributed trace, as code that does not export traces sees it. */

export type SpanFacts = Readonly<Record<string, string | number | boolean>>;

export interface TraceSpan {
  /** Names this span in the W3C header `traceparent`. */
  readonly traceparent: string;
  /** Adds a part that has ended. Times are in milliseconds before now. */
  add(name: string, beganMsAgo: number, endedMsAgo: number, facts?: SpanFacts): void;
}
