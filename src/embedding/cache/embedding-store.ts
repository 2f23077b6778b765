/**
 * Vectors by content key, kept on disk so that no text is embedded twice. Bounded by two
 * generations. Writes go to the newer one; when it is full, the older one is deleted and the newer
 * one takes its role. A vector found in the older one is written again, so used vectors stay.
 */
import { readStored } from '../../model/schemas/stored-schema.ts';

/** The required part of an ordered key-value store: atomic writes, in the order of calls. */
interface KeyValues {
  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | null)[]>;
  iterate(range: {
    readonly gte: Uint8Array;
    readonly lt: Uint8Array;
  }): AsyncIterable<{ readonly key: Uint8Array; readonly value: Uint8Array }>;
  write(
    operations: readonly (
      | { readonly kind: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }
      | { readonly kind: 'delete'; readonly key: Uint8Array }
    )[],
    survival: 'process',
  ): Promise<void>;
}

const DELETIONS_MAX = 1000;

/**
 * Entries have the key `<prefix><generation>/<content key>`; `<prefix>state` holds the number of
 * the newer generation and its bytes.
 */
export class EmbeddingStore {
  readonly #store: KeyValues;
  readonly #prefix: string;
  readonly #generationBytesMax: number;
  #generation: number;
  #bytes: number;
  /** The generation that is about to begin; writes wait for it. */
  #starting: Promise<void> | null = null;

  private constructor(
    store: KeyValues,
    prefix: string,
    bytesMax: number,
    { generation, bytes }: { readonly generation: number; readonly bytes: number },
  ) {
    this.#store = store;
    this.#prefix = prefix;
    this.#generationBytesMax = bytesMax / 2;
    this.#generation = generation;
    this.#bytes = bytes;
  }

  /**
   * @param prefix of its keys, used by no other store @param bytesMax of keys and vectors on disk
   */
  static async open(store: KeyValues, prefix: string, bytesMax: number): Promise<EmbeddingStore> {
    const [state] = await store.getMany([Buffer.from(`${prefix}state`)]);
    const first = { generation: 1, bytes: 0 };
    const known = state ? readStored<typeof first>('state of the embedding store', state) : first;
    return new EmbeddingStore(store, prefix, bytesMax, known);
  }

  /** Vectors in the order of the content keys; null where there is none. */
  async getMany(contentKeys: readonly string[]): Promise<readonly (Float32Array | null)[]> {
    const generation = this.#generation;
    const younger = contentKeys.map((key) => this.#key(generation, key));
    const older = contentKeys.map((key) => this.#key(generation - 1, key));
    const found = await this.#store.getMany([...younger, ...older]);
    const outdated = new Map<string, Float32Array>();
    const vectors = contentKeys.map((key, at) => {
      const bytes = found[at] ?? found[at + contentKeys.length] ?? null;
      if (bytes === null) return null;
      const vector = toVector(bytes);
      if (found[at] === null) outdated.set(key, vector);
      return vector;
    });
    if (outdated.size > 0) await this.putMany(outdated);
    return vectors;
  }

  /**
   * Resolves when the vectors survive the process; a power failure may lose the most recent ones.
   */
  async putMany(vectors: ReadonlyMap<string, Float32Array>): Promise<void> {
    while (this.#bytes >= this.#generationBytesMax) {
      this.#starting ??= this.#startGeneration().finally(() => {
        this.#starting = null;
      });
      await this.#starting;
    }
    const entries = [...vectors].map(([key, vector]) => ({
      kind: 'put' as const,
      key: this.#key(this.#generation, key),
      value: new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
    }));
    this.#bytes += entries.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
    const state = this.#state(this.#generation, this.#bytes);
    await this.#store.write([...entries, state], 'process');
  }

  /**
   * Deletes the generations before the newer one, in writes of bounded size. After a failed write the
   * next call deletes what is left.
   */
  async #startGeneration(): Promise<void> {
    const range = { gte: this.#key(0, ''), lt: this.#key(this.#generation, '') };
    let deletions: { readonly kind: 'delete'; readonly key: Uint8Array }[] = [];
    for await (const { key } of this.#store.iterate(range)) {
      deletions.push({ kind: 'delete', key });
      if (deletions.length < DELETIONS_MAX) continue;
      await this.#store.write(deletions, 'process');
      deletions = [];
    }
    const generation = this.#generation + 1;
    await this.#store.write([...deletions, this.#state(generation, 0)], 'process');
    this.#generation = generation;
    this.#bytes = 0;
  }

  #state(generation: number, bytes: number) {
    return {
      kind: 'put' as const,
      key: Buffer.from(`${this.#prefix}state`),
      value: Buffer.from(JSON.stringify({ generation, bytes })),
    };
  }

  /**
   * Generations have as many digits as the largest safe integer, so that number order equals key
   * order.
   */
  #key(generation: number, contentKey: string): Uint8Array {
    return Buffer.from(`${this.#prefix}${String(generation).padStart(16, '0')}/${contentKey}`);
  }
}

/** Copies, because the store's buffer may have any alignment. */
const toVector = (bytes: Uint8Array): Float32Array =>
  new Float32Array(new Uint8Array(bytes).buffer);
