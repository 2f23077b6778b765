/** Replaces values of some fields in a JSON document by other JSON; all other bytes stay. */
import { ByteBuffer } from '../bytes/byte-buffer.ts';
import { stringText } from './json-string.ts';
import { JsonKind, JsonTape } from './json-tape.ts';

/** Replaces leaves by other JSON. */
export interface LeafWriter {
  /** Returns false, with nothing appended, for a leaf that is not replaced. */
  write(tape: JsonTape, leaf: number, out: ByteBuffer): boolean;
}

const tape = new JsonTape();
const scratch = new ByteBuffer();

export class ValueReplacer {
  readonly #fields: ReadonlyMap<string, LeafWriter>;
  /** Paths of the objects that contain the fields. */
  readonly #ways = new Set<string>();

  /** @param fields writers by the path of the field; elements of arrays are leaves of it */
  constructor(fields: ReadonlyMap<string, LeafWriter>) {
    this.#fields = fields;
    for (const field of fields.keys())
      for (let dot = field.indexOf('.'); dot >= 0; dot = field.indexOf('.', dot + 1))
        this.#ways.add(field.slice(0, dot));
  }

  /** Rewrites the last document of the buffer. @param start offset of the document */
  rewrite(out: ByteBuffer, start: number): void {
    tape.scan(out.bytes, start, out.length);
    scratch.clear();
    const copiedTo = this.#copyObject(0, '', start);
    if (copiedTo === start) return;
    scratch.pushRange(tape.bytes, copiedTo, out.length);
    out.length = start;
    out.pushBytes(scratch.view());
  }

  /**
   * Copies the document up to the last replaced value below an object.
   * @param copiedTo end of the copied bytes
   * @returns the new end of the copied bytes
   */
  #copyObject(object: number, path: string, copiedTo: number): number {
    let copied = copiedTo;
    const after = tape.next(object);
    for (let key = object + 1; key < after; key = tape.next(key + 1)) {
      const name = stringText(tape, key);
      const below = path === '' ? name : `${path}.${name}`;
      if (this.#fields.has(below) || this.#ways.has(below))
        copied = this.#copyValue(key + 1, below, copied);
    }
    return copied;
  }

  #copyValue(node: number, path: string, copiedTo: number): number {
    const kind = tape.kind(node);
    if (kind === JsonKind.object) return this.#copyObject(node, path, copiedTo);
    if (kind === JsonKind.array) {
      let copied = copiedTo;
      const after = tape.next(node);
      for (let element = node + 1; element < after; element = tape.next(element))
        copied = this.#copyValue(element, path, copied);
      return copied;
    }
    const before = scratch.length;
    scratch.pushRange(tape.bytes, copiedTo, tape.start(node));
    if (this.#fields.get(path)?.write(tape, node, scratch)) return tape.end(node);
    scratch.length = before;
    return copiedTo;
  }
}
