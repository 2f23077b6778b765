/** An embedder that pays for each content once: what has a vector on disk is not sent. */
import type { LruMap } from '../../core/lru-map.ts';
import {
  type DocumentEmbedder,
  type EmbeddedInputs,
  EmbeddingError,
  type EmbeddingInput,
  type EmbedOptions,
} from '../embedder.ts';
import { contentKey } from '../fingerprint.ts';
import type { EmbeddingStore } from './embedding-store.ts';

type KnownDimensions = Pick<LruMap<string, number>, 'get' | 'set'>;
type Vectors = ReadonlyMap<string, Float32Array>;

/** Contents looked up at once: bounds the memory of one look-up. */
const LOOK_UP_MAX = 4096;

export class CachedEmbedder implements DocumentEmbedder {
  readonly #inner: DocumentEmbedder;
  readonly #store: Pick<EmbeddingStore, 'getMany' | 'putMany'>;
  readonly #dimensions: KnownDimensions;

  /** @param dimensions that providers have told, by fingerprint */
  constructor(
    inner: DocumentEmbedder,
    store: Pick<EmbeddingStore, 'getMany' | 'putMany'>,
    dimensions: KnownDimensions,
  ) {
    this.#inner = inner;
    this.#store = store;
    this.#dimensions = dimensions;
  }

  get fingerprint(): string {
    return this.#inner.fingerprint;
  }

  async dimensions(...call: Parameters<DocumentEmbedder['dimensions']>): Promise<number> {
    const known = this.#dimensions.get(this.fingerprint);
    if (known !== undefined) return known;
    const dimensions = await this.#inner.dimensions(...call);
    this.#dimensions.set(this.fingerprint, dimensions);
    return dimensions;
  }

  /** What was paid for stays, whatever becomes of the rest: a repeated call asks for less. */
  async embedDocuments(
    inputs: readonly EmbeddingInput[],
    options: EmbedOptions,
  ): Promise<readonly Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let first = 0; first < inputs.length; first += LOOK_UP_MAX) {
      const part = inputs.slice(first, first + LOOK_UP_MAX);
      const onEmbedded: EmbedOptions['onEmbedded'] = ({ at, vectors: embedded }) =>
        options.onEmbedded?.({ at: at.map((n) => n + first), vectors: embedded });
      const { onSkipped } = options;
      const own: EmbedOptions = {
        ...options,
        onEmbedded,
        ...(onSkipped && {
          onSkipped: ({ at, reason }) => onSkipped({ at: at.map((n) => n + first), reason }),
        }),
      };
      for (const vector of await this.#embedPart(part, first, own)) vectors.push(vector);
    }
    return vectors;
  }

  async #embedPart(
    inputs: readonly EmbeddingInput[],
    first: number,
    { onEmbedded, onSkipped, ...options }: EmbedOptions,
  ): Promise<readonly Float32Array[]> {
    const keys = inputs.map((input) => contentKey(this.#inner.fingerprint, input));
    const places = placesOf(keys);
    const vectors = await this.#known([...places.keys()]);
    await onEmbedded?.(everywhere(vectors, places));
    const missing = [...places].filter(([key]) => !vectors.has(key));
    const missingPlaces = missing.map(([, [at = 0]]) => at);
    await this.#pay(inputs, missingPlaces, first, {
      ...options,
      ...(onSkipped && {
        onSkipped: ({ at, reason }) =>
          onSkipped({ at: at.flatMap((n) => missing[n]?.[1] ?? []), reason }),
      }),
      onEmbedded: async (embedded) => {
        const paid: Vectors = new Map(
          embedded.vectors.map((vector, n) => [
            keys[missingPlaces[embedded.at[n] ?? 0] ?? 0] ?? '',
            vector,
          ]),
        );
        await this.#store.putMany(paid);
        await options.onPaid?.();
        for (const [key, vector] of paid) vectors.set(key, vector);
        await onEmbedded?.(everywhere(paid, places));
      },
    });
    return keys.map((key) => vectors.get(key) ?? new Float32Array());
  }

  async #known(keys: readonly string[]): Promise<Map<string, Float32Array>> {
    const found = await this.#store.getMany(keys);
    const known = keys.flatMap((key, at) => {
      const vector = found[at] ?? null;
      return vector === null ? [] : [[key, vector] as const];
    });
    return new Map(known);
  }

  /** Errors name the input by its place in the whole call. */
  async #pay(
    inputs: readonly EmbeddingInput[],
    places: readonly number[],
    first: number,
    options: EmbedOptions,
  ): Promise<void> {
    if (places.length === 0) return;
    try {
      await this.#inner.embedDocuments(
        places.map((at) => inputs[at]),
        options,
      );
    } catch (error) {
      if (!(error instanceof EmbeddingError) || error.inputAt === null) throw error;
      throw new EmbeddingError(error.message, first + (places[error.inputAt] ?? 0));
    }
  }
}

/** Where each content stands among the inputs; a content may stand there more than once. */
function placesOf(keys: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [at, key] of keys.entries()) {
    const known = places.get(key);
    if (known === undefined) places.set(key, [at]);
    else known.push(at);
  }
  return places;
}

function everywhere(
  vectors: Vectors,
  places: ReadonlyMap<string, readonly number[]>,
): EmbeddedInputs {
  const all = [...vectors].flatMap(([key, vector]) =>
    (places.get(key) ?? []).map((at) => ({ at, vector })),
  );
  return { at: all.map(({ at }) => at), vectors: all.map(({ vector }) => vector) };
}
