/**
 * What an embedder is to indexing and search, whatever its source. Start here;
 * `open-embedder.ts` makes one of settings.
 */

/** A rendered text, or a rendered fragment: JSON as the provider takes it. */
export type EmbeddingInput = unknown;

/** Inputs of one call that have their vectors: `at` counts from the first input of the call. */
export interface EmbeddedInputs {
  readonly at: readonly number[];
  readonly vectors: readonly Float32Array[];
}

/** Inputs of one call that are to have none, counted in the same way. */
export interface SkippedInputs {
  readonly at: readonly number[];
  readonly reason: string;
}

export interface EmbedOptions {
  /**
   * What is repeated when the server dies over it: the same request for the same cause tells the
   * provider that it is the same. Absent: it tells nothing.
   */
  readonly cause?: string;
  /** Ends the call: nothing more is asked for, and what is under way is waited for a moment. */
  readonly signal: AbortSignal;
  /** The provider has failed for long: unless it answers at once, nothing is asked again. */
  readonly isLastTry?: boolean;
  /**
   * Told of vectors as they come, in any order; what it returns is waited for before more of the
   * same lane is paid for.
   */
  readonly onEmbedded?: (embedded: EmbeddedInputs) => Promise<void> | void;
  /**
   * Told of inputs that get no vector, and why; their place in the result is an empty vector.
   * Absent: the first such input fails the call.
   */
  readonly onSkipped?: (skipped: SkippedInputs) => void;
  /** Told when vectors that were paid for are stored. */
  readonly onPaid?: () => Promise<void>;
  /** Told of every request to a provider: null, or what it failed with. */
  readonly onRequest?: (error: string | null) => void;
}

/** What a search gives for its vector. */
export interface QueryInput {
  readonly q: string | null;
  readonly media: unknown;
}

/** Rejects with `EmbeddingError`, or with the reason of the signal. */
export interface DocumentEmbedder {
  /** Two embedders with the same give the same vectors for the same inputs of documents. */
  readonly fingerprint: string;
  /** Of its vectors; asks the provider once where settings and model do not say. */
  dimensions(signal: AbortSignal, isLastTry?: boolean): Promise<number>;
  /** Vectors in the order of `inputs`, all with `dimensions` numbers but for skipped ones. */
  embedDocuments(
    inputs: readonly EmbeddingInput[],
    options: EmbedOptions,
  ): Promise<readonly Float32Array[]>;
}

/** Of documents and searches. */
export interface Embedder extends DocumentEmbedder {
  embedQuery(query: QueryInput, signal: AbortSignal): Promise<Float32Array>;
}

/** No vector: the provider failed or answered nonsense, or the input is none that it takes. */
export class EmbeddingError extends Error {
  override readonly name = 'EmbeddingError';
  /** The input that is to blame, counted from the first of the call; null = none in particular. */
  readonly inputAt: number | null;
  constructor(message: string, inputAt: number | null = null) {
    super(message);
    this.inputAt = inputAt;
  }
}
