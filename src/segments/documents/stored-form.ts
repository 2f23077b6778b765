/**
 * The stored bytes of a document: without the vectors that vector files hold (api.md 12.6). Other
 * contents of `_vectors` entries stay.
 */
import { ByteBuffer } from '../../engine/bytes/byte-buffer.ts';
import { stringText } from '../../engine/json/json-string.ts';
import type { JsonTape } from '../../engine/json/json-tape.ts';
import type { Settings } from '../../model/settings.ts';
import { type DocumentEntries, vectorsNode } from '../contract/document-entries.ts';
import { type StoredEmbedder, storedEmbedders } from '../vectors/stored-embedders.ts';

const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const COMMA = 0x2c;
const REGENERATED = '{"regenerate":true}';
const NOTHING: ReadonlyMap<string, string | null> = new Map();

export class StoredForm {
  readonly #embedders: readonly StoredEmbedder[];
  readonly #out = new ByteBuffer();

  constructor(settings: Settings) {
    this.#embedders = storedEmbedders(settings);
  }

  /** Valid until the next call, and while the tape's bytes are. @param tape holds the document */
  bytesOf(tape: JsonTape, entries: DocumentEntries): Uint8Array {
    const vectors = this.#embedders.length === 0 ? -1 : vectorsNode(tape);
    const elsewhere = vectors < 0 ? NOTHING : this.#heldElsewhere(entries);
    if (elsewhere.size === 0) return tape.bytes.subarray(tape.start(0), tape.end(0));
    const left = membersOf(tape, vectors).filter(
      (key) => elsewhere.get(stringText(tape, key)) !== null,
    );
    this.#out.clear();
    const members = membersOf(tape, 0).filter((key) => key + 1 !== vectors || left.length > 0);
    this.#writeObject(members, (key) => {
      if (key + 1 !== vectors) return this.#writeMember(tape, key);
      this.#out.pushRange(tape.bytes, tape.start(key), tape.end(key));
      this.#out.pushText(':');
      this.#writeObject(left, (entry) => {
        const form = elsewhere.get(stringText(tape, entry));
        if (typeof form !== 'string') return this.#writeMember(tape, entry);
        this.#out.pushRange(tape.bytes, tape.start(entry), tape.end(entry));
        this.#out.pushText(`:${form}`);
      });
    });
    return this.#out.view();
  }

  /**
   * The stored form of entries whose vectors are in vector files, by embedder; null = none. The flag
   * of user-provided vectors is stored, since it is not the default of their embedder.
   */
  #heldElsewhere(entries: DocumentEntries): ReadonlyMap<string, string | null> {
    const forms = new Map<string, string | null>();
    for (const embedder of this.#embedders) {
      const { name, isUserProvided } = embedder;
      const entry = entries.node(name) < 0 ? null : entries.get(embedder);
      if (entry === null) continue;
      const isHeld = isUserProvided ? entry.hasVectors : entry.regenerate;
      if (isHeld) forms.set(name, isUserProvided && entry.regenerate ? REGENERATED : null);
    }
    return forms;
  }

  #writeObject(keys: readonly number[], write: (key: number) => void): void {
    this.#out.pushByte(OPENING_BRACE);
    keys.forEach((key, i) => {
      if (i > 0) this.#out.pushByte(COMMA);
      write(key);
    });
    this.#out.pushByte(CLOSING_BRACE);
  }

  #writeMember(tape: JsonTape, key: number): void {
    this.#out.pushRange(tape.bytes, tape.start(key), tape.end(key + 1));
  }
}

function membersOf(tape: JsonTape, object: number): number[] {
  const keys: number[] = [];
  const after = tape.next(object);
  for (let key = object + 1; key < after; key = tape.next(key + 1)) keys.push(key);
  return keys;
}
