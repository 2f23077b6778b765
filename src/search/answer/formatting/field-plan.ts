/**
 * Tree of member names with the format of each field, for one answer. Grows with the members that
 * documents have.
 */
import { stringText } from '../../../engine/json/json-string.ts';
import type { JsonTape } from '../../../engine/json/json-tape.ts';
import type { LeafWriter } from '../../../engine/json/replace-values.ts';

/** Format of a leaf. */
export interface LeafFormat {
  readonly isHighlighted: boolean;
  /** Maximum number of words; 0 = not cropped. */
  readonly cropWords: number;
}

export interface FieldFormats {
  formatOf(path: string): LeafFormat;
  localesOf(path: string): readonly string[] | null;
  /** True if any part of the field's chunks is found. */
  hasParts(path: string): boolean;
  /** null = the leaves of the field are not replaced. */
  writerOf(path: string): LeafWriter | null;
  /** True if a top-level field is never shown. */
  isHidden(field: string): boolean;
  /** Rank of a top-level field in the order of members. */
  rankOf(field: string): number;
}

export class FieldPlan {
  readonly path: string;
  readonly format: LeafFormat;
  readonly locales: readonly string[] | null;
  readonly hasParts: boolean;
  readonly rank: number;
  readonly writer: LeafWriter | null;
  /** Selected paths below this field; null = all of it. */
  readonly #chosen: readonly string[] | null;
  readonly #rules: FieldFormats;
  readonly #members = new Map<string, FieldPlan | null>();

  private constructor(path: string, chosen: readonly string[] | null, rules: FieldFormats) {
    this.path = path;
    this.format = rules.formatOf(path);
    this.locales = rules.localesOf(path);
    this.hasParts = rules.hasParts(path);
    this.rank = rules.rankOf(path);
    this.writer = rules.writerOf(path);
    this.#chosen = chosen;
    this.#rules = rules;
  }

  /** The plan of complete documents. @param chosen paths of fields; null = all */
  static ofDocument(chosen: readonly string[] | null, rules: FieldFormats): FieldPlan {
    return new FieldPlan('', chosen === null ? null : [...new Set(chosen)], rules);
  }

  get isWhole(): boolean {
    return this.#chosen === null;
  }

  /**
   * The plan of a member of this object (or of the objects in this array); null when nothing of it
   * is selected.
   */
  member(name: string): FieldPlan | null {
    let plan = this.#members.get(name);
    if (plan === undefined) {
      plan = this.#grow(name);
      this.#members.set(name, plan);
    }
    return plan;
  }

  /** As `member`, for the member with this key. */
  memberAt(tape: JsonTape, key: number): FieldPlan | null {
    return this.member(stringText(tape, key));
  }

  #grow(name: string): FieldPlan | null {
    if (this.path === '' && this.#rules.isHidden(name)) return null;
    const path = this.path === '' ? name : `${this.path}.${name}`;
    if (this.#chosen === null || this.#chosen.includes(name) || this.#isBelow(name))
      return new FieldPlan(path, null, this.#rules);
    const below = this.#chosen
      .filter((p) => p.startsWith(`${name}.`))
      .map((p) => p.slice(name.length + 1));
    return below.length > 0 ? new FieldPlan(path, below, this.#rules) : null;
  }

  /** True if the name itself has dots and its path is below a chosen one; not so of top-level fields. */
  #isBelow(name: string): boolean {
    if (this.path === '' || !name.includes('.')) return false;
    return this.#chosen?.some((p) => name.startsWith(`${p}.`)) === true;
  }
}
