/**
 * Formats of the values in the databases: the first byte of a value is the format version of its
 * kind, the rest is the value of `key-value-store.ts`. The stores and `rows-file.ts` add and remove
 * the version byte.
 *
 * A change of a value that older releases cannot read needs a new version here, a new format of the
 * data folder, and a step of `src/upgrade` that rewrites the values.
 */

const STRING_TAG = 1;
const VERSION_BYTES = 1;

export class ValueFormats {
  readonly #kindOf: (key: Uint8Array) => string;
  readonly #versions: ReadonlyMap<string, number>;

  /** @param versions by kind, each 1 to 255 */
  constructor(kindOf: (key: Uint8Array) => string, versions: Readonly<Record<string, number>>) {
    this.#kindOf = kindOf;
    this.#versions = new Map(Object.entries(versions));
  }

  get kinds(): Iterable<string> {
    return this.#versions.keys();
  }

  encode(key: Uint8Array, value: Uint8Array): Uint8Array {
    const stored = new Uint8Array(VERSION_BYTES + value.length);
    stored[0] = this.#versionOf(this.#kindOf(key));
    stored.set(value, VERSION_BYTES);
    return stored;
  }

  /** The value without its version byte: a view into the stored bytes. */
  decode(key: Uint8Array, stored: Uint8Array): Uint8Array {
    const kind = this.#kindOf(key);
    const version = this.#versionOf(kind);
    if (stored[0] !== version) {
      const found = stored.length === 0 ? 'none' : String(stored[0]);
      throw new Error(`a value of the kind "${kind}" has format ${found}, expected ${version}`);
    }
    return stored.subarray(VERSION_BYTES);
  }

  #versionOf(kind: string): number {
    const version = this.#versions.get(kind);
    if (version === undefined) throw new Error(`the kind "${kind}" of values has no format`);
    return version;
  }
}

/**
 * Kinds of values by the first part of their keys; keys of `meta` by both parts. The formats are
 * specified where the keys are defined (docs/durability.md, "Formats").
 */
const STATE_KINDS = {
  index: 1,
  row: 1,
  rowBlock: 1,
  task: 1,
  payload: 1,
  batch: 1,
  key: 1,
  chat: 1,
  searchRule: 1,
  webhook: 1,
  outbox: 1,
  outboxBody: 1,
  outboxPlace: 1,
  attempt: 1,
  'meta nextIndexId': 1,
  'meta features': 1,
  'meta network': 1,
  'meta aliases': 1,
  'meta instanceUid': 1,
  'meta attempt': 1,
  'meta attemptBeside': 1,
};

export const STATE_VALUES = new ValueFormats(kindOfTuple, STATE_KINDS);

/** Kinds of a database that several machines open: also its change log and the note of its writer. */
export const STORE_VALUES = new ValueFormats(kindOfTuple, {
  ...STATE_KINDS,
  change: 1,
  'meta writer': 1,
});

/** Kinds of the embedding cache: vectors and their metadata. */
export const EMBEDDING_VALUES = new ValueFormats(() => 'embedding', { embedding: 1 });

/** Parts of a key (key-encoding.ts), which are ASCII. */
function kindOfTuple(key: Uint8Array): string {
  const first = nameAt(key, 0);
  if (first !== 'meta') return first;
  return `${first} ${nameAt(key, first.length + 2)}`;
}

function nameAt(key: Uint8Array, at: number): string {
  let name = '';
  if (key[at] !== STRING_TAG) return name;
  for (let i = at + 1; i < key.length; i++) {
    const code = key[i] as number;
    if (code === 0) break;
    name += String.fromCharCode(code);
  }
  return name;
}
