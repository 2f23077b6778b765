/**
 * Tree of member names with the format of each field, for one answer. Grows with the members that
 * documents have.
 */
import { encodeUtf8 } from '../../../engine/bytes/utf8.ts';
import { stringEquals, stringText } from '../../../engine/json/json-string.ts';
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

/** Members compared, starting with the member that followed last time, before a name is read. */
const LOOK_AHEAD = 4;

interface KnownMember {
  readonly name: Uint8Array;
  readonly plan: FieldPlan | null;
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
  /**
   * Members in order of first appearance: documents of one index tend to have the same members in
   * the same order.
   */
  readonly #members: KnownMember[] = [];
  readonly #places = new Map<string, number>();
  /** Index of the member that followed last time. */
  #next = 0;

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
    return this.#members[this.#placeOf(name)]!.plan;
  }

  /** As `member`, for the member with this key. */
  memberAt(tape: JsonTape, key: number): FieldPlan | null {
    const members = this.#members;
    let place = this.#next;
    for (let ahead = 0; ahead < LOOK_AHEAD && ahead < members.length; ahead++, place++) {
      if (place >= members.length) place = 0;
      if (stringEquals(tape, key, members[place]!.name)) return this.#take(place);
    }
    return this.#take(this.#placeOf(stringText(tape, key)));
  }

  #take(place: number): FieldPlan | null {
    this.#next = place + 1;
    return this.#members[place]!.plan;
  }

  #placeOf(name: string): number {
    return this.#places.get(name) ?? this.#add(name, this.#grow(name));
  }

  #add(name: string, plan: FieldPlan | null): number {
    const place = this.#members.push({ name: encodeUtf8(name), plan }) - 1;
    this.#places.set(name, place);
    return place;
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
