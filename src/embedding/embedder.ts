/**
 * The interface of an embedder for indexing and search, for every source. Start here;
 * `open-embedder.ts` makes an embedder from settings.
 */

/** A rendered text, or a rendered fragment: JSON as the provider takes it. */
export type EmbeddingInput = unknown;

/** Inputs of one call whose vectors have arrived: `at` counts from the first input of the call. */
export interface EmbeddedInputs {
  readonly at: readonly number[];
  readonly vectors: readonly Float32Array[];
}

/** Inputs of one call that get no vector, counted in the same way. */
export interface SkippedInputs {
  readonly at: readonly number[];
  readonly reason: string;
}

export interface EmbedOptions {
  /**
   * Idempotency key of work that is repeated after a crash: the same request for the same cause
   * sends the same key. Absent: no key is sent.
   */
  readonly cause?: string;
  /** Ends the call: no new requests are sent, and running ones get a short grace period. */
  readonly signal: AbortSignal;
  /** The provider has failed for long: fail unless it answers the first request. */
  readonly isLastTry?: boolean;
  /**
   * Receives vectors as they arrive, in any order. Its promise is awaited before the same lane
   * sends more requests.
   */
  readonly onEmbedded?: (embedded: EmbeddedInputs) => Promise<void> | void;
  /** Receives inputs that get no vector, with the reason. Absent: the first one fails the call. */
  readonly onSkipped?: (skipped: SkippedInputs) => void;
  /** Called when embedded vectors are stored. */
  readonly onPaid?: () => Promise<void>;
  /** Called after every request to a provider: null, or the error. */
  readonly onRequest?: (error: string | null) => void;
}

/** The query input that a vector is made of. */
export interface QueryInput {
  readonly q: string | null;
  readonly media: unknown;
}

/** Rejects with `EmbeddingError`, or with the reason of the signal. */
export interface DocumentEmbedder {
  /** Embedders with equal fingerprints give the same vectors for the same document inputs. */
  readonly fingerprint: string;
  /**
   * Dimensions of its vectors; sends one request to the provider if neither settings nor model
   * state them.
   */
  dimensions(signal: AbortSignal, isLastTry?: boolean): Promise<number>;
  /** The vectors go to `onEmbedded`, all with `dimensions` numbers. */
  embedDocuments(inputs: readonly EmbeddingInput[], options: EmbedOptions): Promise<void>;
}

/** The wait of one search for its vector. */
export interface QueryVectorOptions {
  /** The search can run without the vector. */
  readonly isOptional: boolean;
  /** Aborted when the search ends before its vector has come; undefined = never. */
  readonly requestEnd?: AbortSignal | undefined;
}

/** For documents and searches. */
export interface Embedder extends DocumentEmbedder {
  embedQuery(query: QueryInput, signal: AbortSignal): Promise<Float32Array>;
}

/** No vector: the provider failed or answered invalid data, or it does not take the input. */
export class EmbeddingError extends Error {
  override readonly name = 'EmbeddingError';
  /** The input to blame, counted from the first of the call; null = no particular one. */
  readonly inputAt: number | null;
  constructor(message: string, inputAt: number | null = null) {
    super(message);
    this.inputAt = inputAt;
  }
}
