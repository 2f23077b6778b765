/**
 * `_formatted`: a document's selected fields with highlighted and cropped texts, bytes to bytes
 * (relevance.md 6.2, 6.4).
 */

import type { ByteBuffer } from '../../../engine/bytes/byte-buffer.ts';
import { encodeUtf8 } from '../../../engine/bytes/utf8.ts';
import { JsonKind, type JsonTape } from '../../../engine/json/json-tape.ts';
import type { SearchRequest } from '../../../model/search.ts';
import type { DocumentTexts, MatchedText } from './document-texts.ts';
import type { FieldPlan } from './field-plan.ts';
import { leafText, pushPart, textEnd, textStart } from './leaf-text.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;

/** Strings inserted into formatted texts, as parts of JSON strings. */
interface Marks {
  readonly preTag: Uint8Array;
  readonly postTag: Uint8Array;
  readonly cropMarker: Uint8Array;
}

function marksOf({ highlightPreTag, highlightPostTag, cropMarker }: SearchRequest): Marks {
  const mark = (text: string): Uint8Array => encodeUtf8(JSON.stringify(text).slice(1, -1));
  return {
    preTag: mark(highlightPreTag),
    postTag: mark(highlightPostTag),
    cropMarker: mark(cropMarker),
  };
}

interface FormatterParts {
  readonly tape: JsonTape;
  readonly texts: DocumentTexts;
  readonly plan: FieldPlan;
  readonly request: SearchRequest;
}

/** A member that the plan of its object selects. */
interface ShownMember {
  readonly key: number;
  readonly plan: FieldPlan;
}

export class DocumentFormatter {
  readonly #tape: JsonTape;
  readonly #texts: DocumentTexts;
  readonly #plan: FieldPlan;
  readonly #marks: Marks;

  constructor({ tape, texts, plan, request }: FormatterParts) {
    this.#tape = tape;
    this.#texts = texts;
    this.#plan = plan;
    this.#marks = marksOf(request);
  }

  /**
   * Appends the document on the tape, its fields by rank. Returns false, with nothing appended,
   * when no member is selected.
   */
  write(out: ByteBuffer): boolean {
    const members = this.#shownMembers(0, this.#plan);
    members.sort((a, b) => a.plan.rank - b.plan.rank);
    return this.#writeMembers(members, out);
  }

  #shownMembers(object: number, plan: FieldPlan): ShownMember[] {
    const tape = this.#tape;
    const shown: ShownMember[] = [];
    const after = tape.next(object);
    for (let key = object + 1; key < after; key = tape.next(key + 1)) {
      const member = plan.memberAt(tape, key);
      if (member !== null && (member.isWhole || !this.#isScalar(key + 1)))
        shown.push({ key, plan: member });
    }
    return shown;
  }

  #writeObject(object: number, plan: FieldPlan, out: ByteBuffer): boolean {
    return this.#writeMembers(this.#shownMembers(object, plan), out);
  }

  /** Appends an object, or nothing when no member is selected. */
  #writeMembers(members: readonly ShownMember[], out: ByteBuffer): boolean {
    if (members.length === 0) return false;
    const tape = this.#tape;
    let separator = 0x7b;
    for (const { key, plan } of members) {
      out.pushByte(separator);
      out.pushRange(tape.bytes, tape.start(key), tape.end(key));
      out.pushByte(COLON);
      this.#writeValue(key + 1, plan, out);
      separator = COMMA;
    }
    out.pushByte(0x7d);
    return true;
  }

  #writeValue(node: number, plan: FieldPlan, out: ByteBuffer): void {
    const kind = this.#tape.kind(node);
    if (kind === JsonKind.string || kind === JsonKind.number) this.#writeText(node, plan, out);
    else if (kind === JsonKind.array) this.#writeArray(node, plan, out);
    else if (kind !== JsonKind.object)
      out.pushRange(this.#tape.bytes, this.#tape.start(node), this.#tape.end(node));
    else if (!this.#writeObject(node, plan, out)) out.pushText('{}');
  }

  /** In a partly selected array, scalars and objects without selected members are dropped. */
  #writeArray(array: number, plan: FieldPlan, out: ByteBuffer): void {
    const tape = this.#tape;
    out.pushByte(0x5b);
    const empty = out.length;
    const after = tape.next(array);
    for (let element = array + 1; element < after; element = tape.next(element)) {
      if (!plan.isWhole && this.#isScalar(element)) continue;
      const before = out.length;
      if (before > empty) out.pushByte(COMMA);
      if (plan.isWhole || tape.kind(element) === JsonKind.array)
        this.#writeValue(element, plan, out);
      else if (!this.#writeObject(element, plan, out)) out.length = before;
    }
    out.pushByte(0x5d);
  }

  #isScalar(node: number): boolean {
    const kind = this.#tape.kind(node);
    return kind !== JsonKind.object && kind !== JsonKind.array;
  }

  /** Numbers are written as strings. */
  #writeText(node: number, plan: FieldPlan, out: ByteBuffer): void {
    if (plan.writer?.write(this.#tape, node, out)) return;
    const { isHighlighted, cropWords } = plan.format;
    out.pushByte(QUOTE);
    if ((isHighlighted || cropWords > 0) && this.#texts.mayMatch(node, plan))
      this.#writeMatched(node, plan, out);
    else if (cropWords > 0) this.#writeBeginning(node, plan, out);
    else this.#writeWhole(node, out);
    out.pushByte(QUOTE);
  }

  #writeMatched(node: number, plan: FieldPlan, out: ByteBuffer): void {
    writeFormattedText(this.#texts.read(node, plan), plan.format.isHighlighted, this.#marks, out);
  }

  /** Writes the crop of a leaf without matches. */
  #writeBeginning(node: number, plan: FieldPlan, out: ByteBuffer): void {
    const end = plan.locales === null ? this.#texts.endOfWords(node, plan.format.cropWords) : -1;
    if (end < 0) {
      this.#writeMatched(node, plan, out);
      return;
    }
    out.pushRange(this.#tape.bytes, textStart(this.#tape, node), end);
    if (end < textEnd(this.#tape, node)) out.pushBytes(this.#marks.cropMarker);
  }

  #writeWhole(node: number, out: ByteBuffer): void {
    const tape = this.#tape;
    if (tape.kind(node) === JsonKind.string)
      out.pushRange(tape.bytes, textStart(tape, node), textEnd(tape, node));
    else {
      const text = leafText(tape, node);
      pushPart(text, text.start, text.end, out);
    }
  }
}

/** Appends a text with its matches marked and cut to its crop window. */
function writeFormattedText(
  matched: MatchedText,
  isHighlighted: boolean,
  marks: Marks,
  out: ByteBuffer,
): void {
  const { text, matches, window } = matched;
  if (window.start > text.start) out.pushBytes(marks.cropMarker);
  let written = window.start;
  for (const match of isHighlighted ? matches : []) {
    const from = Math.max(match.start, window.start);
    const to = Math.min(match.end, window.end);
    if (from >= to) continue;
    pushPart(text, written, from, out);
    out.pushBytes(marks.preTag);
    pushPart(text, from, to, out);
    out.pushBytes(marks.postTag);
    written = to;
  }
  pushPart(text, written, window.end, out);
  if (window.end < text.end) out.pushBytes(marks.cropMarker);
}
