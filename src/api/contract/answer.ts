/** What a route answers with. */

export type AnswerChunk = Uint8Array | string;

/** JSON text that is already written, or whatever its content type says. */
export interface BytesAnswer {
  readonly status: number;
  /** Several parts are sent one after the other; large ones are never joined. */
  readonly bytes: Uint8Array | readonly Uint8Array[];
  /** Value of the header; absent = JSON. */
  readonly contentType?: string;
  /** More headers, names and values in turn. */
  readonly headers?: readonly string[];
}

/** A value to write as JSON. */
export interface JsonAnswer {
  readonly status: number;
  readonly json: unknown;
}

/** No body. */
export interface EmptyAnswer {
  readonly status: number;
  /** More headers, names and values in turn. */
  readonly headers?: readonly string[];
}

/**
 * A body that comes into being while it is sent. Chunks are pulled as fast as the
 * client takes them. Status and headers may wait for the first one, so a stream without an early
 * chunk of its own begins with one that means nothing. When the signal is aborted (the client left,
 * the server is closing) nobody pulls any more, and a pull under way must end.
 */
export interface StreamAnswer {
  readonly status: number;
  /** Value of the header. */
  readonly contentType: string;
  /** It ends by itself, and nobody waits for its single chunks: it is compressed as accepted. */
  readonly isFinite?: true;
  stream(signal: AbortSignal): AsyncIterable<AnswerChunk>;
}

export type Answer = BytesAnswer | JsonAnswer | EmptyAnswer | StreamAnswer;
