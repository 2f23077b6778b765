/** The answers of route handlers. */

export type AnswerChunk = Uint8Array | string;

/** JSON text, or bytes of another content type. */
export interface BytesAnswer {
  readonly status: number;
  /** Several parts are sent one after the other; large ones are never joined. */
  readonly bytes: Uint8Array | readonly Uint8Array[];
  /** Value of the header; absent = JSON. */
  readonly contentType?: string;
  /** More headers, names and values alternating. */
  readonly headers?: readonly string[];
}

export interface JsonAnswer {
  readonly status: number;
  readonly json: unknown;
}

export interface EmptyAnswer {
  readonly status: number;
  /** More headers, names and values alternating. */
  readonly headers?: readonly string[];
}

/**
 * A body that is produced while it is sent. Chunks are read at the pace of the client. Status and
 * headers may be sent with the first chunk, so a stream without an early chunk begins with a
 * meaningless one. When the signal is aborted (the client disconnected, the server is closing)
 * reading stops, and a pending read must end.
 */
export interface StreamAnswer {
  readonly status: number;
  readonly contentType: string;
  /**
   * The stream ends by itself and its chunks are not urgent: it is compressed like other answers.
   */
  readonly isFinite?: true;
  /** More headers, names and values alternating. */
  readonly headers?: readonly string[];
  stream(signal: AbortSignal): AsyncIterable<AnswerChunk>;
}

export type Answer = BytesAnswer | JsonAnswer | EmptyAnswer | StreamAnswer;
