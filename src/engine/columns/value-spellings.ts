/**
 * How documents spell the strings of a column, as differences from the normalised form.
 *
 *   spellings        for each value: one spelling; or 0x80, varint place in `choices`, varint number of spellings, the spellings.
 *                    A spelling: byte of its kind, plus 8 when the normalised form is composed
 *                    first (NFC); for kind 4 varint length and bits of the letters in upper case;
 *                    for kind 5 varint length and the text
 *   spellingGroups   u32 × ⌈values / 16⌉: where each group of 16 values starts; both are empty when all values are spelled as normalised
 *   choices          for each document of a value with several spellings, in order: which of them, as u8, u16 or u32
 */
import { MemoMap } from '../../core/memo-map.ts';
import { ByteBuffer } from '../bytes/byte-buffer.ts';
import type { TermInterner } from '../bytes/term-interner.ts';
import { decodeUtf8, encodeUtf8 } from '../bytes/utf8.ts';
import { VarintCursor } from '../bytes/varint.ts';
import type { NumberArray } from './column-parts.ts';
import { TEXT_GROUP } from './value-dictionary.ts';

const Kind = { same: 0, first: 1, words: 2, upper: 3, bits: 4, text: 5 } as const;
const COMPOSED = 8;
/** Most spellings stored per column. */
const KNOWN_MAX = 256;
const SEVERAL = 0x80;

const isWordUnit = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === 0x27 || code >= 0x80;

const upper = (unit: string): string => unit.toUpperCase();

/**
 * Code units below this are looked up in upper case once: most letters of alphabets that have case.
 */
const REMEMBERED_UNITS = 0x2000;
/** Upper case of the code unit that is the index: 0 not looked up yet, −1 more than one unit. */
const raisedUnits = new Int32Array(REMEMBERED_UNITS);

/** The code unit in upper case, itself when it has none, −1 when that is more than one unit. */
function raisedUnit(code: number): number {
  if (code < REMEMBERED_UNITS && raisedUnits[code] !== 0) return raisedUnits[code]!;
  const text = upper(String.fromCharCode(code));
  const raised = text.length === 1 ? text.charCodeAt(0) : -1;
  if (code < REMEMBERED_UNITS) raisedUnits[code] = raised;
  return raised;
}

/**
 * Kind of the spelling over `base`, with its upper-case letters in `bits`; −1 when it differs in
 * more than case.
 */
function caseKind(spelling: string, base: string, bits: Uint8Array): number {
  if (spelling === base) return Kind.same;
  if (spelling.length !== base.length) return -1;
  let letters = 0;
  let uppers = 0;
  let wordStarts = 0;
  let upperWordStarts = 0;
  let afterWord = false;
  for (let i = 0; i < base.length; i++) {
    const code = base.charCodeAt(i);
    const spelled = spelling.charCodeAt(i);
    const raised = code < 0x80 && (code < 0x61 || code > 0x7a) ? code : raisedUnit(code);
    if (raised !== code) {
      letters++;
      if (!afterWord) wordStarts++;
    }
    if (spelled !== code) {
      if (spelled !== raised) return -1;
      bits[i >>> 3]! |= 1 << (i & 7);
      uppers++;
      if (!afterWord) upperWordStarts++;
    }
    afterWord = isWordUnit(code);
  }
  if (uppers === 1 && (bits[0]! & 1) === 1) return Kind.first;
  if (uppers === letters) return Kind.upper;
  return uppers === wordStarts && uppers === upperWordStarts ? Kind.words : Kind.bits;
}

/** The same for ASCII, −1 for anything else; `base` is lower-case. */
function asciiCaseKind(
  spelling: Uint8Array,
  start: number,
  base: Uint8Array,
  baseStart: number,
  length: number,
): number {
  let letters = 0;
  let uppers = 0;
  let wordStarts = 0;
  let upperWordStarts = 0;
  let firstIsUpper = false;
  let afterWord = false;
  for (let i = 0; i < length; i++) {
    const byte = base[baseStart + i]!;
    const spelled = spelling[start + i]!;
    if ((byte | spelled) >= 0x80) return -1;
    const isLetter = byte >= 0x61 && byte <= 0x7a;
    if (isLetter) {
      letters++;
      if (!afterWord) wordStarts++;
    }
    if (spelled !== byte) {
      if (!isLetter || spelled !== byte - 0x20) return -1;
      uppers++;
      if (!afterWord) upperWordStarts++;
      if (i === 0) firstIsUpper = true;
    }
    afterWord = isWordUnit(byte);
  }
  if (uppers === 0) return Kind.same;
  if (uppers === 1 && firstIsUpper) return Kind.first;
  if (uppers === letters) return Kind.upper;
  return uppers === wordStarts && uppers === upperWordStarts ? Kind.words : Kind.bits;
}

function writeSpelling(spelling: string, normalized: string, out: ByteBuffer): void {
  const composed = normalized.normalize('NFC');
  for (const [base, flag] of composed === normalized
    ? [[normalized, 0] as const]
    : [[normalized, 0] as const, [composed, COMPOSED] as const]) {
    const bits = new Uint8Array((base.length + 7) >>> 3);
    const kind = caseKind(spelling, base, bits);
    if (kind < 0) continue;
    out.pushByte(kind | flag);
    if (kind === Kind.bits) {
      out.pushVarint(bits.length);
      out.pushBytes(bits);
    }
    return;
  }
  const text = encodeUtf8(spelling);
  out.pushByte(Kind.text);
  out.pushVarint(text.length);
  out.pushBytes(text);
}

function readSpelling(cursor: VarintCursor, normalized: string): string {
  const header = cursor.bytes[cursor.position++] ?? 0;
  const kind = header & ~COMPOSED;
  if (kind === Kind.text) {
    const end = cursor.next() + cursor.position;
    return decodeUtf8(cursor.bytes, cursor.position, end);
  }
  const base = (header & COMPOSED) === 0 ? normalized : normalized.normalize('NFC');
  if (kind === Kind.same) return base;
  if (kind === Kind.upper) return mapUnits(base, () => true);
  if (kind === Kind.first) return mapUnits(base, (i) => i === 0);
  if (kind === Kind.words)
    return mapUnits(base, (i) => i === 0 || !isWordUnit(base.charCodeAt(i - 1)));
  cursor.next();
  const { bytes, position } = cursor;
  return mapUnits(base, (i) => ((bytes[position + (i >>> 3)]! >>> (i & 7)) & 1) === 1);
}

function mapUnits(base: string, isRaised: (i: number) => boolean): string {
  let text = '';
  let from = 0;
  for (let i = 0; i < base.length; i++) {
    if (!isRaised(i)) continue;
    text += base.slice(from, i) + upper(base[i]!);
    from = i + 1;
  }
  return text + base.slice(from);
}

function skipSpelling(cursor: VarintCursor): void {
  const kind = cursor.bytes[cursor.position++]! & ~COMPOSED;
  if (kind === Kind.bits || kind === Kind.text) {
    const length = cursor.next();
    cursor.position += length;
  }
}

export class ValueSpellingsWriter {
  readonly #bytes = new ByteBuffer(64);
  readonly #groups: number[] = [];
  #choices: number[] = [];
  #choiceMax = 0;
  #isPlain = true;
  #count = 0;

  /**
   * @param choices the spelling of each of the value's documents; unused when there is one spelling
   */
  add(normalized: string, spellings: readonly string[], choices: Iterable<number>): void {
    if ((this.#count++ & (TEXT_GROUP - 1)) === 0) this.#groups.push(this.#bytes.length);
    const [only] = spellings;
    if (spellings.length === 1 && only === normalized) {
      this.#bytes.pushByte(Kind.same);
      return;
    }
    this.#isPlain = false;
    if (spellings.length > 1) {
      this.#bytes.pushByte(SEVERAL);
      this.#bytes.pushVarint(this.#choices.length);
      this.#bytes.pushVarint(spellings.length);
      for (const choice of choices) this.#choices.push(choice);
      this.#choiceMax = Math.max(this.#choiceMax, spellings.length - 1);
    }
    for (const spelling of spellings) writeSpelling(spelling, normalized, this.#bytes);
  }

  /**
   * The same for a value with one spelling, given as terms. Returns false and adds nothing unless the
   * text differs in the case of ASCII letters only.
   */
  addPlain(spellings: TermInterner, spelling: number, texts: TermInterner, term: number): boolean {
    const [start, baseStart] = [spellings.start(spelling), texts.start(term)];
    const length = spellings.end(spelling) - start;
    if (texts.end(term) - baseStart !== length) return false;
    const kind = asciiCaseKind(spellings.arena, start, texts.arena, baseStart, length);
    if (kind < 0 || kind === Kind.bits) return false;
    if ((this.#count++ & (TEXT_GROUP - 1)) === 0) this.#groups.push(this.#bytes.length);
    if (kind !== Kind.same) this.#isPlain = false;
    this.#bytes.pushByte(kind);
    return true;
  }

  finish(): {
    readonly spellings: Uint8Array;
    readonly groups: Uint32Array;
    readonly choices: readonly number[];
    readonly choiceMax: number;
  } {
    return {
      spellings: this.#isPlain ? new Uint8Array(0) : this.#bytes.view(),
      groups: Uint32Array.from(this.#isPlain ? [] : this.#groups),
      choices: this.#choices,
      choiceMax: this.#choiceMax,
    };
  }
}

export class ValueSpellings {
  readonly #cursor: VarintCursor;
  readonly #groups: Uint32Array;
  readonly #choices: NumberArray;
  /**
   * Cache of decoded spellings of values that have only one, by ordinal: searches show the same first
   * and frequent values repeatedly.
   */
  readonly #known = new MemoMap<number, string>(KNOWN_MAX);

  constructor(spellings: Uint8Array, groups: Uint32Array, choices: NumberArray) {
    this.#cursor = new VarintCursor(spellings);
    this.#groups = groups;
    this.#choices = choices;
  }

  /**
   * @param normalized the value
   * @param place index of the document among those of the value; both are called only when needed
   */
  read(ordinal: number, normalized: () => string, place: () => number): string {
    const known = this.#known.get(ordinal);
    if (known !== undefined) return known;
    const cursor = this.#cursor;
    const group = Math.floor(ordinal / TEXT_GROUP);
    const start = this.#groups[group];
    if (start === undefined) return normalized();
    cursor.position = start;
    for (let skip = ordinal - group * TEXT_GROUP; skip > 0; skip--) this.#skipValue();
    if (cursor.bytes[cursor.position] !== SEVERAL) {
      const spelling = readSpelling(cursor, normalized());
      this.#known.set(ordinal, spelling);
      return spelling;
    }
    cursor.position++;
    const choiceStart = cursor.next();
    const count = cursor.next();
    const choice = this.#choices[choiceStart + place()] ?? 0;
    for (let skip = Math.min(choice, count - 1); skip > 0; skip--) skipSpelling(cursor);
    return readSpelling(cursor, normalized());
  }

  #skipValue(): void {
    const cursor = this.#cursor;
    if (cursor.bytes[cursor.position] !== SEVERAL) {
      skipSpelling(cursor);
      return;
    }
    cursor.position++;
    cursor.next();
    for (let count = cursor.next(); count > 0 && cursor.position < cursor.bytes.length; count--)
      skipSpelling(cursor);
  }
}
