/**
 * `attributesToHighlight` and `attributesToCrop` as rules: the attributes to format, and their
 * formats (relevance.md 6.4).
 */
import { isFieldOrBelow } from '../../../model/attribute-pattern.ts';
import type { SearchRequest } from '../../../model/search.ts';
import type { LeafFormat } from './field-plan.ts';

const ALL = '*';

interface CropRule {
  readonly name: string;
  /** 0 = not cropped. */
  readonly words: number;
}

/** True if hits show more than the stored fields. */
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

  /**
   * @param isShown returns true if an attribute is displayed and known to the index; rules for
   * other attributes are ignored
   */
  constructor(request: FormatRequest, isShown: (name: string) => boolean) {
    const counts = (name: string): boolean => name === ALL || isShown(name);
    this.#highlights = [...new Set(request.attributesToHighlight)].filter(counts);
    const crops = (request.attributesToCrop ?? []).map((item) =>
      cropRule(item, request.cropLength),
    );
    this.#crops = crops.filter(({ name }) => counts(name));
  }

  /** True if the request formats no displayed attribute. */
  get isEmpty(): boolean {
    return this.#highlights.length + this.#crops.length === 0;
  }

  /** Attributes named by the rules; null = all displayed ones. */
  get names(): readonly string[] | null {
    const names = [...this.#highlights, ...this.#crops.map(({ name }) => name)];
    return names.includes(ALL) ? null : names;
  }

  /**
   * A rule of a field applies to all fields below it. A rule below a field applies to the field
   * itself when it is a leaf.
   */
  formatOf(path: string): LeafFormat {
    const isHighlighted = this.#highlights.some((name) => concerns(name, path));
    return { isHighlighted, cropWords: this.#cropWords(path) };
  }

  /** The rule of the outermost field applies; if a field has several rules, the last one. */
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

/** `name` or `name:words`; if words is not a number, the request's crop length applies. */
function cropRule(item: string, cropLength: number): CropRule {
  const colon = item.lastIndexOf(':');
  if (colon < 0) return { name: item, words: cropLength };
  const words = item.slice(colon + 1);
  return { name: item.slice(0, colon), words: /^\d+$/.test(words) ? Number(words) : cropLength };
}
