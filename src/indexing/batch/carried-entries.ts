/**
 * `_vectors` entries of a document with several versions in one batch. An entry survives a later
 * version that does not change it, as it would if each version had its own batch (api.md 12.6).
 */
import type { GivenVectors } from '../../embedding/vector-action.ts';
import { ByteBuffer } from '../../engine/bytes/byte-buffer.ts';
import { compactNode } from '../../engine/json/compact-json.ts';
import type { JsonTape } from '../../engine/json/json-tape.ts';
import { DocumentEntries, type VectorEntry } from '../../segments/contract/document-entries.ts';
import type { StoredEmbedder } from '../../segments/vectors/stored-embedders.ts';

export function givenVectors(entry: VectorEntry | null): GivenVectors {
  if (entry === null) return 'nothing';
  if (entry.hasVectors) return 'vectors';
  if (!entry.isOpen) return 'noVectors';
  return entry.regenerate ? 'regenerate' : 'keep';
}

const decoder = new TextDecoder();

/** Entry that regenerates vectors, because the version that brought some is not the last. */
const REGENERATED = '{"regenerate":true}';

/** Reused for one document after the other. */
export class CarriedEntries {
  readonly #embedders: readonly StoredEmbedder[];
  readonly #entries = new DocumentEntries();
  readonly #carried = new Map<string, string | null>();
  readonly #text = new ByteBuffer();
  /** JSON by embedder, of the last version with an effective entry; null = of none. */
  readonly #said = new Map<string, string | null>();

  constructor(embedders: readonly StoredEmbedder[]) {
    this.#embedders = embedders;
  }

  begin(): void {
    this.#said.clear();
    this.#carried.clear();
  }

  add(tape: JsonTape): void {
    this.#entries.begin(tape);
    for (const embedder of this.#embedders) this.#addEntry(tape, embedder);
  }

  /** JSON by embedder that replaces the entries of the last version; null = no entry. */
  get carried(): ReadonlyMap<string, string | null> {
    return this.#carried;
  }

  #addEntry(tape: JsonTape, embedder: StoredEmbedder): void {
    const { name, isUserProvided } = embedder;
    const entry = this.#entries.get(embedder);
    const given = givenVectors(entry);
    const said = this.#said.get(name);
    const isLeft = given === 'nothing' || given === 'keep';
    if (said !== undefined && isLeft) {
      if (said !== null || given === 'keep') this.#carried.set(name, said);
      return;
    }
    this.#carried.delete(name);
    const isRemade = given === 'vectors' && entry?.regenerate === true && !isUserProvided;
    const json = entry === null ? null : this.#jsonOf(tape, name);
    this.#said.set(name, isRemade ? REGENERATED : json);
  }

  #jsonOf(tape: JsonTape, name: string): string {
    this.#text.clear();
    compactNode(tape, this.#entries.node(name), this.#text);
    return decoder.decode(this.#text.view());
  }
}
