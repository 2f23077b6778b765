/** An embedder that requests each content once: content with a vector on disk is not sent. */

import { LRUCache } from 'lru-cache';
import { getOrCompute } from '../../core/get-or-compute.ts';
import type { EmbedderSettings } from '../../model/embedders/embedder-settings.ts';
import {
  type DocumentEmbedder,
  type EmbeddedInputs,
  EmbeddingError,
  type EmbeddingInput,
  type EmbedOptions,
} from '../embedder.ts';
import { contentKey } from '../fingerprint.ts';
import type { EmbeddingStore } from './embedding-store.ts';

type KnownDimensions = Pick<LRUCache<string, number>, 'get' | 'set'>;

/** A distinct content, requested once however often a call contains it. */
interface Content {
  readonly key: string;
  readonly input: EmbeddingInput;
  /** Its positions among the inputs of the call, ascending. */
  readonly places: readonly number[];
}

/** Embedders whose dimensions are remembered; a forgotten one costs a request. */
const KNOWN_DIMENSIONS_MAX = 256;

export type DocumentEmbedders = (settings: EmbedderSettings) => DocumentEmbedder;

/** The embedders of indexing tasks. @param open sends no request yet */
export function documentEmbedders(
  open: DocumentEmbedders,
  store: Pick<EmbeddingStore, 'getMany' | 'putMany'>,
): DocumentEmbedders {
  const dimensions = new LRUCache<string, number>({ max: KNOWN_DIMENSIONS_MAX });
  return (settings) => new CachedEmbedder(open(settings), store, dimensions);
}

/** Contents per lookup: bounds the memory of one lookup. */
const LOOK_UP_MAX = 4096;

export class CachedEmbedder implements DocumentEmbedder {
  readonly #inner: DocumentEmbedder;
  readonly #store: Pick<EmbeddingStore, 'getMany' | 'putMany'>;
  readonly #dimensions: KnownDimensions;

  /** @param dimensions learnt from providers, by fingerprint */
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

  /**
   * Stored vectors stay even if the call fails, so a repeated call requests less. A call that fails
   * without blaming an input has reported all known vectors.
   */
  async embedDocuments(inputs: readonly EmbeddingInput[], options: EmbedOptions): Promise<void> {
    const contents = contentsOf(this.fingerprint, inputs);
    let outage: EmbeddingError | null = null;
    for (let first = 0; first < contents.length; first += LOOK_UP_MAX) {
      const some = contents.slice(first, first + LOOK_UP_MAX);
      const missing = await this.#embedKnown(some, options);
      if (outage !== null || missing.length === 0) continue;
      try {
        await this.#pay(missing, options);
      } catch (error) {
        if (!(error instanceof EmbeddingError) || error.inputAt !== null) throw error;
        outage = error;
      }
    }
    if (outage !== null) throw outage;
  }

  async #embedKnown(
    contents: readonly Content[],
    { onEmbedded }: EmbedOptions,
  ): Promise<readonly Content[]> {
    const found = await this.#store.getMany(contents.map(({ key }) => key));
    const known = contents.flatMap((content, n) => {
      const vector = found[n] ?? null;
      return vector === null ? [] : [{ content, vector }];
    });
    await onEmbedded?.(everywhere(known));
    return contents.filter((_, n) => (found[n] ?? null) === null);
  }

  /** The embedder counts contents; options and errors of the caller count inputs. */
  async #pay(
    contents: readonly Content[],
    { onEmbedded, onSkipped, ...options }: EmbedOptions,
  ): Promise<void> {
    const placesOf = (n: number): readonly number[] => contents[n]?.places ?? [];
    try {
      await this.#inner.embedDocuments(
        contents.map(({ input }) => input),
        {
          ...options,
          ...(onSkipped && {
            onSkipped: ({ at, reason }) => onSkipped({ at: at.flatMap(placesOf), reason }),
          }),
          onEmbedded: async ({ at, vectors }) => {
            const paid = at.map((n, v) => ({
              content: contents[n] as Content,
              vector: vectors[v] as Float32Array,
            }));
            await this.#store.putMany(
              new Map(paid.map(({ content, vector }) => [content.key, vector])),
            );
            await options.onPaid?.();
            await onEmbedded?.(everywhere(paid));
          },
        },
      );
    } catch (error) {
      if (!(error instanceof EmbeddingError) || error.inputAt === null) throw error;
      throw new EmbeddingError(error.message, placesOf(error.inputAt)[0] ?? null);
    }
  }
}

/** Distinct inputs of a call, in the order of their first occurrence. */
function contentsOf(fingerprint: string, inputs: readonly EmbeddingInput[]): readonly Content[] {
  const contents = new Map<string, Content & { readonly places: number[] }>();
  for (const [at, input] of inputs.entries()) {
    const key = contentKey(fingerprint, input);
    getOrCompute(contents, key, () => ({ key, input, places: [] })).places.push(at);
  }
  return [...contents.values()];
}

/** Copies the vectors to all positions of their contents. */
function everywhere(
  embedded: readonly { readonly content: Content; readonly vector: Float32Array }[],
): EmbeddedInputs {
  const all = embedded.flatMap(({ content, vector }) =>
    content.places.map((at) => ({ at, vector })),
  );
  return { at: all.map(({ at }) => at), vectors: all.map(({ vector }) => vector) };
}
