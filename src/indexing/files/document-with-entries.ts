/** A document with additional entries in its `_vectors`. */

import { ByteBuffer } from '../../engine/bytes/byte-buffer.ts';
import { closeObject, reopenObject } from '../../engine/json/append-members.ts';
import { stringText } from '../../engine/json/json-string.ts';
import { JsonTape } from '../../engine/json/json-tape.ts';
import { VECTORS_FIELD } from '../../model/embedders/embedder-settings.ts';
import { vectorsNode } from '../../segments/contract/document-entries.ts';

const decoder = new TextDecoder();

/** Scratch space for one document after the other. */
export class DocumentWithEntries {
  readonly #tape = new JsonTape();
  readonly #text = new ByteBuffer();

  /**
   * Valid until the next call.
   * @param tape holds the compact document
   * @param entries JSON by embedder, replacing the document's own; null = remove
   */
  of(tape: JsonTape, entries: ReadonlyMap<string, string | null>): JsonTape {
    if (entries.size === 0) return tape;
    const { bytes, length } = this.text(tape, entries);
    this.#tape.scan(bytes, 0, length);
    return this.#tape;
  }

  /** As `of`, as text. */
  text(tape: JsonTape, entries: ReadonlyMap<string, string | null>): ByteBuffer {
    const out = this.#text;
    const vectors = vectorsNode(tape);
    const members = [...entries].flatMap(([name, json]) =>
      json === null ? [] : [`${JSON.stringify(name)}:${json}`],
    );
    const all = [...othersOf(tape, vectors, entries), ...members].join(',');
    out.clear();
    if (vectors < 0) {
      out.pushRange(tape.bytes, tape.start(0), tape.end(0));
      reopenObject(out);
      out.pushText(`"${VECTORS_FIELD}":{${all}}`);
      closeObject(out);
    } else {
      out.pushRange(tape.bytes, tape.start(0), tape.start(vectors));
      out.pushText(`{${all}}`);
      out.pushRange(tape.bytes, tape.end(vectors), tape.end(0));
    }
    return out;
  }
}

/** Members of `_vectors` that stay as they are. */
function othersOf(
  tape: JsonTape,
  vectors: number,
  replaced: ReadonlyMap<string, unknown>,
): string[] {
  const others: string[] = [];
  if (vectors < 0) return others;
  for (let key = vectors + 1; key < tape.next(vectors); key = tape.next(key + 1))
    if (!replaced.has(stringText(tape, key)))
      others.push(decoder.decode(tape.bytes.subarray(tape.start(key), tape.end(key + 1))));
  return others;
}
