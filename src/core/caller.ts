/** The client of a request. */
import type { TraceSpan } from './trace-span.ts';

export interface Caller {
  /**
   * Aborted when the client disconnects before the response; queued work of the request can be
   * dropped.
   */
  readonly isAborted: boolean;
}

/** The client's identity in the log. */
export interface Requester extends Caller {
  /** Request id, as in the response headers and in every log line of the request. */
  readonly requestUid: string;
  /** As in `Access`; null for the master key and without a key. */
  readonly keyUid: string | null;
  /**
   * Arrival by the monotonic clock of the front; the time limit of the request counts from it.
   * Default: the start of the work.
   */
  readonly receivedAtMs?: number;
  /**
   * Aborted with an `ApiError` when the client disconnects or the time limit of the request is
   * reached; ends its requests to embedders and other servers. Default: never.
   */
  readonly signal?: AbortSignal;
  /** Of the request; absent = it is not traced. */
  readonly span?: TraceSpan | undefined;
  /** Called when a search of the request reached its time limit. */
  searchWasCut?(): void;
  /**
   * Called with the bytes of the response so far, when query threads have returned a part of it.
   * @throws ApiError when the budget of all large responses is exhausted
   */
  holdsAnswer?(bytes: number): void;
}
