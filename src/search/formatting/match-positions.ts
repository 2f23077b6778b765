/** `_matchesPosition`: where the displayed leaves of a document match, in bytes of their values (relevance.md 6.6). */
import { stringText } from '../../engine/json/json-string.ts';
import { JsonKind, type JsonTape } from '../../engine/json/json-tape.ts';
import type { DocumentTexts } from './document-texts.ts';
import type { FieldPlan } from './field-plan.ts';
import type { MatchedText } from './text-matcher.ts';

export interface MatchPosition {
  readonly start: number;
  readonly length: number;
  /** Places in the arrays on the way to the value, outermost first; absent outside arrays. */
  readonly indices?: readonly number[];
}

/** Matches by dotted path, the paths sorted; of the values that share a path, those of the last one that matches. */
export type MatchPositions = Record<string, MatchPosition[]>;

/** Matches of the document on the tape in the fields of the plan. */
export function matchPositions(tape: JsonTape, texts: DocumentTexts, plan: FieldPlan): MatchPositions {
  if (!texts.canMatch) return {};
  const found = new Map<string, MatchPosition[]>();
  new PositionWalk(tape, texts, found).visit(0, plan);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

class PositionWalk {
  readonly #tape: JsonTape;
  readonly #texts: DocumentTexts;
  readonly #found: Map<string, MatchPosition[]>;
  readonly #indices: number[] = [];

  constructor(tape: JsonTape, texts: DocumentTexts, found: Map<string, MatchPosition[]>) {
    this.#tape = tape;
    this.#texts = texts;
    this.#found = found;
  }

  visit(node: number, plan: FieldPlan): void {
    const kind = this.#tape.kind(node);
    if (kind === JsonKind.object) this.#visitObject(node, plan);
    else if (kind === JsonKind.array) this.#visitArray(node, plan);
    else if (plan.isWhole && (kind === JsonKind.string || kind === JsonKind.number)) this.#visitLeaf(node, plan);
  }

  #visitObject(object: number, plan: FieldPlan): void {
    const after = this.#tape.next(object);
    for (let key = object + 1; key < after; key = this.#tape.next(key + 1)) {
      const member = plan.member(stringText(this.#tape, key));
      if (member) this.visit(key + 1, member);
    }
  }

  #visitArray(array: number, plan: FieldPlan): void {
    const after = this.#tape.next(array);
    const depth = this.#indices.length;
    let index = 0;
    for (let element = array + 1; element < after; element = this.#tape.next(element)) {
      this.#indices[depth] = index++;
      this.visit(element, plan);
    }
    this.#indices.length = depth;
  }

  #visitLeaf(node: number, plan: FieldPlan): void {
    if (!this.#texts.mayMatch(node)) return;
    const matched = this.#texts.read(node, plan.locales);
    if (matched.matches.length === 0) return;
    const indices = this.#indices.length > 0 ? [...this.#indices] : null;
    const positions = bytePositions(matched).map((position) => (indices ? { ...position, indices } : position));
    this.#found.set(plan.path, positions);
  }
}

function bytePositions({ text, matches }: MatchedText): MatchPosition[] {
  let unit = 0;
  let byte = 0;
  const byteOf = (target: number): number => {
    byte += utf8Length(text, unit, target);
    unit = target;
    return byte;
  };
  return matches.map((match) => {
    const start = byteOf(match.start);
    return { start, length: byteOf(match.end) - start };
  });
}

function utf8Length(text: string, start: number, end: number): number {
  let bytes = 0;
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    // Each half of a surrogate pair is two of its four bytes.
    else bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3;
  }
  return bytes;
}
