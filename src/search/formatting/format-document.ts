/** `_formatted`: a document's chosen fields with marked and cropped texts, bytes to bytes (relevance.md 6.2, 6.4). */
import { encodeUtf8 } from '../../engine/bytes/utf8.ts';
import { ByteBuffer } from '../../engine/json/byte-buffer.ts';
import { stringEquals, stringText } from '../../engine/json/json-string.ts';
import { ESCAPED, JsonKind, type JsonTape } from '../../engine/json/json-tape.ts';
import type { DocumentTexts } from './document-texts.ts';
import type { FieldPlan } from './field-plan.ts';
import { type Marks, writeFormattedText } from './formatted-text.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;

export interface FormatterParts {
  readonly tape: JsonTape;
  readonly texts: DocumentTexts;
  readonly plan: FieldPlan;
  readonly marks: Marks;
  /** Place of each top-level field in the order in which the index met them: the order of the members. */
  readonly fieldRanks: ReadonlyMap<string, number>;
}

export class DocumentFormatter {
  readonly #tape: JsonTape;
  readonly #texts: DocumentTexts;
  readonly #plan: FieldPlan;
  readonly #marks: Marks;
  readonly #topNames = new KeyNames();
  readonly #innerNames = new KeyNames();
  readonly #fieldRanks: ReadonlyMap<string, number>;

  constructor({ tape, texts, plan, marks, fieldRanks }: FormatterParts) {
    this.#tape = tape;
    this.#texts = texts;
    this.#plan = plan;
    this.#marks = marks;
    this.#fieldRanks = fieldRanks;
  }

  /** Appends the document on the tape. Returns false, with nothing appended, when no member is left. */
  write(out: ByteBuffer): boolean {
    const keys = this.#keysOf(0, this.#topNames);
    const rankOf = ({ name }: Key): number => this.#fieldRanks.get(name) ?? 0;
    keys.sort((a, b) => rankOf(a) - rankOf(b));
    return this.#writeMembers(keys, this.#plan, out);
  }

  #keysOf(object: number, names: KeyNames): Key[] {
    const tape = this.#tape;
    const keys: Key[] = [];
    const after = tape.next(object);
    for (let key = object + 1; key < after; key = tape.next(key + 1)) {
      keys.push({ key, name: names.read(tape, key, keys.length) });
    }
    return keys;
  }

  #writeObject(object: number, plan: FieldPlan, out: ByteBuffer): boolean {
    return this.#writeMembers(this.#keysOf(object, this.#innerNames), plan, out);
  }

  /** Appends an object of the members that the plan chooses, or nothing when it chooses none. */
  #writeMembers(keys: readonly Key[], plan: FieldPlan, out: ByteBuffer): boolean {
    const tape = this.#tape;
    const start = out.length;
    out.pushByte(0x7b);
    for (const { key, name } of keys) {
      const member = plan.member(name);
      if (member === null || (!member.isWhole && this.#isScalar(key + 1))) continue;
      if (out.length > start + 1) out.pushByte(COMMA);
      out.pushRange(tape.bytes, tape.start(key), tape.end(key));
      out.pushByte(COLON);
      this.#writeValue(key + 1, member, out);
    }
    const isEmpty = out.length === start + 1;
    if (isEmpty) out.length = start;
    else out.pushByte(0x7d);
    return !isEmpty;
  }

  #writeValue(node: number, plan: FieldPlan, out: ByteBuffer): void {
    const kind = this.#tape.kind(node);
    if (kind === JsonKind.object) {
      if (!this.#writeObject(node, plan, out)) out.pushText('{}');
    } else if (kind === JsonKind.array) this.#writeArray(node, plan, out);
    else this.#writeLeaf(node, kind, plan, out);
  }

  /** Of a partly chosen array, scalars and objects with nothing left are dropped. */
  #writeArray(array: number, plan: FieldPlan, out: ByteBuffer): void {
    const tape = this.#tape;
    out.pushByte(0x5b);
    const empty = out.length;
    const after = tape.next(array);
    for (let element = array + 1; element < after; element = tape.next(element)) {
      if (!plan.isWhole && this.#isScalar(element)) continue;
      const before = out.length;
      if (before > empty) out.pushByte(COMMA);
      if (plan.isWhole || tape.kind(element) === JsonKind.array) this.#writeValue(element, plan, out);
      else if (!this.#writeObject(element, plan, out)) out.length = before;
    }
    out.pushByte(0x5d);
  }

  #isScalar(node: number): boolean {
    const kind = this.#tape.kind(node);
    return kind !== JsonKind.object && kind !== JsonKind.array;
  }

  /** Whether a leaf of plain ASCII cannot have more words: each takes a character, and one more to part it from the next. */
  #isShort(node: number, words: number): boolean {
    return this.#tape.end(node) - this.#tape.start(node) < words * 2;
  }

  /** Strings and numbers come out as strings, the rest as stored. */
  #writeLeaf(node: number, kind: JsonKind, plan: FieldPlan, out: ByteBuffer): void {
    const tape = this.#tape;
    const isNumber = kind === JsonKind.number;
    const isString = kind === JsonKind.string;
    const { format, locales } = plan;
    const { canMatch } = this.#texts;
    const mayMatch = (isNumber || isString) && canMatch && this.#texts.mayMatch(node);
    const isCut = format.cropWords > 0 && (mayMatch || !canMatch || !this.#isShort(node, format.cropWords));
    const changes = isCut || (format.isHighlighted && mayMatch);
    if (!isNumber && !(isString && changes)) {
      out.pushRange(tape.bytes, tape.start(node), tape.end(node));
      return;
    }
    out.pushByte(QUOTE);
    if (changes) {
      const needsEscapes = (tape.flags(node) & ESCAPED) !== 0;
      const isWhole = mayMatch || locales !== null;
      const matched = isWhole ? this.#texts.read(node, locales) : this.#texts.readBeginning(node, format.cropWords);
      writeFormattedText(matched, format, this.#marks, needsEscapes, out);
    } else out.pushText(this.#texts.textOf(node));
    out.pushByte(QUOTE);
  }
}

interface Key {
  /** Node of the member's name. */
  readonly key: number;
  readonly name: string;
}

/** Names of members by their place in an object: documents of one index tend to have the same. */
class KeyNames {
  readonly #known: { readonly utf8: Uint8Array; readonly name: string }[] = [];
  readonly #scratch = new ByteBuffer();

  read(tape: JsonTape, key: number, place: number): string {
    const known = this.#known[place];
    if (known && stringEquals(tape, key, known.utf8, this.#scratch)) return known.name;
    const name = stringText(tape, key);
    this.#known[place] = { utf8: encodeUtf8(name), name };
    return name;
  }
}
