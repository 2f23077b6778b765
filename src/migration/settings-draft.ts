/**
 * Collects settings while the settings of another system are read member by member, and the rules of
 * fields that several systems share.
 */
import type { Json } from '../core/json.ts';
import { INFLECTED_LANGUAGES, normalizeLocale } from '../model/locales.ts';
import { type MappingRule, type MappingTable, type MigrationNote, uses } from './mapped-index.ts';

export class SettingsDraft {
  readonly searchable: string[] = [];
  /** Filterable attributes, with whether facet search covers them. */
  readonly filterable = new Map<string, boolean>();
  readonly sortable = new Set<string>();
  readonly stopWords = new Set<string>();
  readonly inflections = new Set<string>();
  readonly substrings = new Set<string>();
  readonly synonyms = new Map<string, Set<string>>();
  readonly embedders: Record<string, unknown> = {};
  readonly localized: { readonly attributePatterns: string[]; readonly locales: string[] }[] = [];
  /** Attributes that hold points; a document has one `_geo`. */
  readonly geoFields: string[] = [];
  /** Settings with a single value. */
  readonly others: Record<string, unknown> = {};
  readonly notes: MigrationNote[] = [];
  /** Path of the field whose mapping is read. */
  path = '';
  /** Fields that become vectors of the embedders of their names. */
  readonly vectorFields: string[] = [];

  note(name: string, message: string): void {
    this.notes.push({ name, message });
  }

  /** Makes every phrase a synonym of all others. */
  addSynonyms(phrases: readonly string[]): void {
    for (const phrase of phrases)
      this.addOneWay(
        phrase,
        phrases.filter((other) => other !== phrase),
      );
  }

  /** @param phrase matches the others too, but not vice versa */
  addOneWay(phrase: string, others: readonly string[]): void {
    const known = this.synonyms.get(phrase) ?? new Set();
    for (const other of others) known.add(other);
    if (known.size > 0) this.synonyms.set(phrase, known);
  }

  /** Makes `_geo` filterable and sortable. */
  addPlace(): void {
    // Attribute patterns do not cover `_geo`, so it is added by name.
    this.filterable.set('_geo', true);
    this.sortable.add('_geo');
  }

  /** Picks the field of `geoFields` that becomes `_geo`; notes the others. */
  takePlace(): string | null {
    const [first = null, ...others] = this.geoFields;
    for (const field of others) this.note(field, `is a second place: \`${first}\` is \`_geo\``);
    if (first !== null) this.addPlace();
    return first;
  }

  addVectors(field: string, dimensions: number): void {
    this.vectorFields.push(field);
    this.embedders[field] = { source: 'userProvided', dimensions };
  }

  /** @param language a code of two or three letters */
  addLocale(attribute: string, language: string): void {
    const locale = localeOf(language);
    if (locale === null) {
      this.note(`language ${language}`, 'is not known here');
      return;
    }
    // Only the first matching rule of an attribute applies.
    const rule = this.localized.find(({ attributePatterns: [name] }) => name === attribute);
    if (rule === undefined)
      this.localized.push({ attributePatterns: [attribute], locales: [locale] });
    else if (!rule.locales.includes(locale)) rule.locales.push(locale);
  }

  addInflections(language: string): void {
    const locale = localeOf(language);
    if (locale !== null && INFLECTED_LANGUAGES.includes(locale)) this.inflections.add(locale);
    else this.note(`inflections of ${language}`, 'are not known here: words are met as written');
  }

  /** Non-empty settings, in the form of a request. */
  settings(): Json {
    const lists: Record<string, readonly unknown[]> = {
      searchableAttributes: [...new Set(this.searchable)],
      filterableAttributes: this.#filterableRules(),
      sortableAttributes: [...this.sortable],
      stopWords: [...this.stopWords],
      inflections: [...this.inflections],
      substringAttributes: [...this.substrings],
      localizedAttributes: this.localized,
    };
    const held = Object.entries(lists).filter(([, list]) => list.length > 0);
    const synonyms = [...this.synonyms].map(([phrase, others]) => [phrase, [...others]]);
    return {
      ...Object.fromEntries(held),
      ...(synonyms.length > 0 && { synonyms: Object.fromEntries(synonyms) }),
      ...(Object.keys(this.embedders).length > 0 && { embedders: this.embedders }),
      ...this.others,
    };
  }

  /** Facet attributes by name, the others together as a rule without facet search. */
  #filterableRules(): unknown[] {
    const named = (isFacet: boolean) =>
      [...this.filterable].filter(([, facet]) => facet === isFacet).map(([attribute]) => attribute);
    const quiet = named(false);
    const filter = { equality: true, comparison: true };
    const rule = { attributePatterns: quiet, features: { facetSearch: false, filter } };
    return [...named(true), ...(quiet.length > 0 ? [rule] : [])];
  }
}

export const makeFilterable = (draft: SettingsDraft): void => {
  if (!draft.filterable.has(draft.path)) draft.filterable.set(draft.path, false);
};
export const makeSortable = (draft: SettingsDraft): void => {
  draft.sortable.add(draft.path);
};
export const NUMBER = uses(
  '`filterableAttributes`, `sortableAttributes`',
  makeFilterable,
  makeSortable,
);
export const GEO_POINT: MappingRule<SettingsDraft> = {
  becomes: '`_geo`, filterable and sortable',
  says: 'a document has one place: that of the first field of this type, the first of a list',
  take: (_, draft) => {
    draft.geoFields.push(draft.path);
  },
};

/**
 * Applies the table's rule to a value, and notes values without counterpart.
 * @param key of the rule
 * @param name for the note
 */
export function takeByRule<Draft extends SettingsDraft>(
  table: MappingTable<Draft>,
  [key, name]: readonly [string, string],
  value: unknown,
  draft: Draft,
): void {
  const rule = Object.hasOwn(table, key) ? table[key] : undefined;
  rule?.take?.(value, draft);
  if (rule === undefined) draft.note(name, 'is not known to this program');
  else if (rule.becomes === null) draft.note(name, rule.says ?? 'has no counterpart');
}

/**
 * Applies the table to all known members, in the table's order, and notes the other members by
 * name.
 */
export function takeMembers<Draft extends SettingsDraft>(
  table: MappingTable<Draft>,
  given: Json,
  draft: Draft,
): void {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(table, name));
  for (const name of [...Object.keys(table), ...unknown])
    if (!isUnset(given[name])) takeByRule(table, [name, name], given[name], draft);
}

/** A language without its region, or null. */
const localeOf = (language: string): string | null =>
  normalizeLocale(language.toLowerCase().replace(/[-_].*$/, ''));

/** True for values that request nothing, so that dropping them loses nothing. */
const isUnset = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  (Array.isArray(value) && value.length === 0);
