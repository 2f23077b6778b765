/**
 * `_matchesPosition`: positions of matches in the displayed leaves of a document, in bytes of their
 * values (relevance.md 6.6).
 */
import { JsonKind, type JsonTape } from '../../../engine/json/json-tape.ts';
import type { DocumentTexts, MatchedText } from './document-texts.ts';
import type { FieldPlan } from './field-plan.ts';

/**
 * Matches of the document on the tape in the fields of the plan, as JSON: lists by dotted path, the
 * paths sorted. If several values share a path, the matches of the last matching value.
 */
export function matchPositions(tape: JsonTape, texts: DocumentTexts, plan: FieldPlan): string {
  if (!texts.canMatch) return '{}';
  const found = new Map<string, string>();
  new PositionWalk(tape, texts, found).visit(0, plan);
  const members = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([path, positions]) => `${JSON.stringify(path)}:[${positions}]`).join(',')}}`;
}

class PositionWalk {
  readonly #tape: JsonTape;
  readonly #texts: DocumentTexts;
  readonly #found: Map<string, string>;
  /** Indices of the arrays that contain the value, outermost first. */
  readonly #indices: number[] = [];

  constructor(tape: JsonTape, texts: DocumentTexts, found: Map<string, string>) {
    this.#tape = tape;
    this.#texts = texts;
    this.#found = found;
  }

  visit(node: number, plan: FieldPlan): void {
    const kind = this.#tape.kind(node);
    if (kind === JsonKind.object) this.#visitObject(node, plan);
    else if (kind === JsonKind.array) this.#visitArray(node, plan);
    else if (plan.isWhole && (kind === JsonKind.string || kind === JsonKind.number))
      this.#visitLeaf(node, plan);
  }

  #visitObject(object: number, plan: FieldPlan): void {
    const after = this.#tape.next(object);
    for (let key = object + 1; key < after; key = this.#tape.next(key + 1)) {
      const member = plan.memberAt(this.#tape, key);
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
    if (!this.#texts.mayMatch(node, plan)) return;
    const matched = this.#texts.read(node, plan);
    if (matched.matches.length > 0) this.#found.set(plan.path, positionsOf(matched, this.#indices));
  }
}

/** Elements of a JSON array. */
function positionsOf({ text, matches }: MatchedText, indices: readonly number[]): string {
  const place = indices.length > 0 ? `,"indices":[${indices.join(',')}]` : '';
  return matches
    .map(({ start, end }) => `{"start":${start - text.start},"length":${end - start}${place}}`)
    .join(',');
}
