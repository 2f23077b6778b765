/** What one answer does with each field of its documents: a tree of member names, grown as documents show them. */

/** How a leaf is formatted. */
export interface LeafFormat {
  readonly isHighlighted: boolean;
  /** Words kept; 0 = not cropped. */
  readonly cropWords: number;
}

export interface FieldRules {
  formatOf(path: string): LeafFormat;
  localesOf(path: string): readonly string[] | null;
}

export class FieldPlan {
  readonly path: string;
  readonly format: LeafFormat;
  readonly locales: readonly string[] | null;
  /** Paths below this field that are chosen; null = all of it. */
  readonly #chosen: readonly string[] | null;
  readonly #rules: FieldRules;
  readonly #members = new Map<string, FieldPlan | null>();

  private constructor(path: string, chosen: readonly string[] | null, rules: FieldRules) {
    this.path = path;
    this.format = rules.formatOf(path);
    this.locales = rules.localesOf(path);
    this.#chosen = chosen;
    this.#rules = rules;
  }

  /** The plan of whole documents. @param chosen paths of fields; null = all but the `hidden` ones */
  static ofDocument(chosen: readonly string[] | null, hidden: readonly string[], rules: FieldRules): FieldPlan {
    const plan = new FieldPlan('', chosen === null ? null : [...new Set(chosen)], rules);
    for (const name of hidden) plan.#members.set(name, null);
    return plan;
  }

  get isWhole(): boolean {
    return this.#chosen === null;
  }

  /** The plan of a member of this object (or of the objects in this array); null when nothing of it is chosen. */
  member(name: string): FieldPlan | null {
    let plan = this.#members.get(name);
    if (plan === undefined) {
      plan = this.#grow(name);
      this.#members.set(name, plan);
    }
    return plan;
  }

  #grow(name: string): FieldPlan | null {
    const path = this.path === '' ? name : `${this.path}.${name}`;
    if (this.#chosen === null || this.#chosen.includes(name)) return new FieldPlan(path, null, this.#rules);
    const below = this.#chosen.filter((p) => p.startsWith(`${name}.`)).map((p) => p.slice(name.length + 1));
    return below.length > 0 ? new FieldPlan(path, below, this.#rules) : null;
  }
}
