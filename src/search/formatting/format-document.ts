/** `_formatted`: a document's chosen fields with marked and cropped texts, bytes to bytes (relevance.md 6.2, 6.4). */
import type { ByteBuffer } from '../../engine/json/byte-buffer.ts';
import { stringText } from '../../engine/json/json-string.ts';
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
    const rankOf = (key: number): number => this.#fieldRanks.get(stringText(this.#tape, key)) ?? 0;
    const keys = this.#keysOf(0).map((key) => ({ key, rank: rankOf(key) }));
    keys.sort((a, b) => a.rank - b.rank);
    return this.#writeMembers(
      keys.map(({ key }) => key),
      this.#plan,
      out,
    );
  }

  #keysOf(object: number): number[] {
    const keys: number[] = [];
    const after = this.#tape.next(object);
    for (let key = object + 1; key < after; key = this.#tape.next(key + 1)) keys.push(key);
    return keys;
  }

  #writeObject(object: number, plan: FieldPlan, out: ByteBuffer): boolean {
    return this.#writeMembers(this.#keysOf(object), plan, out);
  }

  /** Appends an object of the members that the plan chooses, or nothing when it chooses none. */
  #writeMembers(keys: readonly number[], plan: FieldPlan, out: ByteBuffer): boolean {
    const tape = this.#tape;
    const start = out.length;
    out.pushByte(0x7b);
    for (const key of keys) {
      const member = plan.member(stringText(tape, key));
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

  /** Strings and numbers come out as strings, the rest as stored. */
  #writeLeaf(node: number, kind: JsonKind, plan: FieldPlan, out: ByteBuffer): void {
    const tape = this.#tape;
    const isNumber = kind === JsonKind.number;
    const { format } = plan;
    const changes = format.cropWords > 0 || (format.isHighlighted && this.#texts.canMatch);
    if (!isNumber && (kind !== JsonKind.string || !changes)) {
      out.pushRange(tape.bytes, tape.start(node), tape.end(node));
      return;
    }
    out.pushByte(QUOTE);
    if (changes) {
      const needsEscapes = (tape.flags(node) & ESCAPED) !== 0;
      writeFormattedText(this.#texts.read(node, plan.locales), format, this.#marks, needsEscapes, out);
    } else out.pushText(this.#texts.textOf(node));
    out.pushByte(QUOTE);
  }
}
