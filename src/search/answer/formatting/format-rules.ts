/**
 * `attributesToHighlight` and `attributesToCrop` as rules: which attributes a request formats, and
 * how (relevance.md 6.4).
 */
import { isFieldOrBelow } from '../../../model/attribute-pattern.ts';
import type { SearchRequest } from '../../../model/search.ts';
import type { LeafFormat } from './field-plan.ts';

const ALL = '*';

interface CropRule {
  readonly name: string;
  /** 0 = shows all. */
  readonly words: number;
}

/** Whether hits show more of their documents than the stored fields. */
export const needsFormatting = ({
  attributesToHighlight,
  attributesToCrop,
  showMatchesPosition,
}: SearchRequest): boolean =>
  showMatchesPosition ||
  (attributesToHighlight ?? []).length > 0 ||
  (attributesToCrop ?? []).length > 0;

export type FormatRequest = Pick<
  SearchRequest,
  'attributesToHighlight' | 'attributesToCrop' | 'cropLength'
>;

export class FormatRules {
  readonly #highlights: readonly string[];
  readonly #crops: readonly CropRule[];

  /** @param isShown whether an attribute is displayed and known to the index; others are ignored */
  constructor(request: FormatRequest, isShown: (name: string) => boolean) {
    const counts = (name: string): boolean => name === ALL || isShown(name);
    this.#highlights = [...new Set(request.attributesToHighlight)].filter(counts);
    const crops = (request.attributesToCrop ?? []).map((item) =>
      cropRule(item, request.cropLength),
    );
    this.#crops = crops.filter(({ name }) => counts(name));
  }

  /** No displayed attribute is to be formatted. */
  get isEmpty(): boolean {
    return this.#highlights.length + this.#crops.length === 0;
  }

  /** Attributes named by the rules; null = all displayed ones. */
  get names(): readonly string[] | null {
    const names = [...this.#highlights, ...this.#crops.map(({ name }) => name)];
    return names.includes(ALL) ? null : names;
  }

  /**
   * Rules of a field count for all below it, and rules below it for the field itself when it is a
   * leaf.
   */
  formatOf(path: string): LeafFormat {
    const isHighlighted = this.#highlights.some((name) => concerns(name, path));
    return { isHighlighted, cropWords: this.#cropWords(path) };
  }

  /** The rule of the outermost field decides, of several for one field the last. */
  #cropWords(path: string): number {
    for (let end = path.indexOf('.'); end >= 0; end = path.indexOf('.', end + 1)) {
      const rule = this.#ruleOf(path.slice(0, end));
      if (rule) return rule.words;
    }
    const rule = this.#ruleOf(path) ?? this.#crops.find(({ name }) => isFieldOrBelow(name, path));
    return rule?.words ?? 0;
  }

  #ruleOf(field: string): CropRule | undefined {
    return this.#crops.findLast(({ name }) => name === field || name === ALL);
  }
}

const concerns = (name: string, path: string): boolean =>
  name === ALL || isFieldOrBelow(path, name) || isFieldOrBelow(name, path);

/** `name` or `name:words`; words that are no number leave the request's length. */
function cropRule(item: string, cropLength: number): CropRule {
  const colon = item.lastIndexOf(':');
  if (colon < 0) return { name: item, words: cropLength };
  const words = item.slice(colon + 1);
  return { name: item.slice(0, colon), words: /^\d+$/.test(words) ? Number(words) : cropLength };
}
