/** Names of the top-level members on given paths. */
import { ByteBuffer } from '../bytes/byte-buffer.ts';
import { decodeUtf8, encodeUtf8 } from '../bytes/utf8.ts';
import { rangeEquals, unescapeInto } from './json-string.ts';

const BACKSLASH = 0x5c;
const scratch = new ByteBuffer();
/** With more names a set of decoded names is faster. */
const SCANNED_NAMES_MAX = 16;

export class MemberNames {
  readonly #texts = new Set<string>();
  readonly #names: readonly Uint8Array[];
  /** How many names of a list are selected. */
  readonly #counts = new Map<readonly string[], number>();

  /** @param paths `a.b` leads to a member `a.b` and through a member `a` */
  constructor(paths: readonly string[]) {
    for (const path of paths) {
      this.#texts.add(path);
      for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1))
        this.#texts.add(path.slice(0, dot));
    }
    this.#names = [...this.#texts].map((name) => encodeUtf8(name));
  }

  /** How many names of a shape are selected. */
  countIn(shape: readonly string[]): number {
    let count = this.#counts.get(shape);
    if (count === undefined) {
      count = shape.filter((name) => this.#texts.has(name)).length;
      this.#counts.set(shape, count);
    }
    return count;
  }

  /** Whether the content of a JSON string is a selected name. */
  has(bytes: Uint8Array, start: number, end: number): boolean {
    for (let at = start; at < end; at++)
      if (bytes[at] === BACKSLASH) return this.#hasEscaped(bytes, start, end);
    return this.#hasPlain(bytes, start, end);
  }

  #hasEscaped(bytes: Uint8Array, start: number, end: number): boolean {
    scratch.clear();
    unescapeInto(bytes, start, end, scratch);
    return this.#hasPlain(scratch.bytes, 0, scratch.length);
  }

  #hasPlain(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#names.length > SCANNED_NAMES_MAX)
      return this.#texts.has(decodeUtf8(bytes, start, end));
    for (const name of this.#names) if (rangeEquals(bytes, start, end, name)) return true;
    return false;
  }
}
