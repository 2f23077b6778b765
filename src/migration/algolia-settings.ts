/** Maps settings of an Algolia index to Gannet settings, member by member. */
import { each, lost, type MappingTable, textsOf } from './mapped-index.ts';
import { SettingsDraft } from './settings-draft.ts';

export class AlgoliaDraft extends SettingsDraft {
  customRanking: readonly string[] = [];
  ranking: readonly string[] = [
    'typo',
    'geo',
    'words',
    'filters',
    'proximity',
    'attribute',
    'exact',
    'custom',
  ];
  distinctAttribute: string | null = null;
  distinct = 0;
  queryLanguages: readonly string[] = [];
  isUnordered = false;

  /** @param path of a setting and its members, with dots */
  setMember(path: string, value: unknown): void {
    const names = path.split('.');
    const last = names.pop() ?? '';
    let object = this.others;
    for (const name of names) {
      object[name] ??= {};
      object = object[name] as Record<string, unknown>;
    }
    object[last] = value;
  }
}

/** `modifier(attribute)` or the plain attribute. */
function modified(text: string): { readonly modifier: string | null; readonly attribute: string } {
  const match = /^(\w+)\((.*)\)$/.exec(text.trim());
  return match === null
    ? { modifier: null, attribute: text.trim() }
    : { modifier: match[1] ?? null, attribute: (match[2] ?? '').trim() };
}

function takeSearchable(value: unknown, draft: AlgoliaDraft): void {
  let unordered = 0;
  const entries = textsOf(value).flatMap((entry) => {
    const together = entry.split(',').map((part) => part.trim());
    if (together.length > 1)
      draft.note(
        `searchableAttributes: ${entry}`,
        'count the same there; here the first counts more',
      );
    return together;
  });
  for (const entry of entries) {
    const { modifier, attribute } = modified(entry);
    if (modifier === 'unordered') unordered += 1;
    draft.searchable.push(attribute);
  }
  draft.isUnordered = unordered === entries.length;
  if (unordered > 0 && !draft.isUnordered)
    draft.note(
      'unordered(…)',
      'is for all attributes or none here: the place of a word counts in all',
    );
}

function takeFacets(value: unknown, draft: AlgoliaDraft): void {
  for (const entry of textsOf(value)) {
    const outer = modified(entry);
    const { modifier, attribute } =
      outer.modifier === 'afterDistinct' ? modified(outer.attribute) : outer;
    if (outer.modifier === 'afterDistinct')
      draft.note(
        `afterDistinct(${attribute})`,
        'is so for all facets here when a search is distinct',
      );
    draft.filterable.set(attribute, modifier !== 'filterOnly');
  }
}

export function takeLanguages(value: unknown, draft: AlgoliaDraft): void {
  const languages = textsOf(value);
  for (const language of languages) draft.addLocale('*', language);
}

function takePlurals(value: unknown, draft: AlgoliaDraft): void {
  const languages = value === true ? draft.queryLanguages : textsOf(value);
  for (const language of languages) draft.addInflections(language);
  if (value === true && languages.length === 0)
    draft.note('ignorePlurals', 'names no language: set `inflections`');
}

const MATCHING: Readonly<Record<string, string>> = {
  none: 'all',
  lastWords: 'last',
  allOptional: 'any',
};

function takeOptionalWords(value: unknown, draft: AlgoliaDraft): void {
  const strategy = MATCHING[String(value)];
  if (strategy === undefined) {
    draft.note(
      `removeWordsIfNoResults: ${String(value)}`,
      'has no counterpart: the last words are left out',
    );
    return;
  }
  draft.others['matchingStrategy'] = strategy;
}

function takeTypos(value: unknown, draft: AlgoliaDraft): void {
  if (value === 'false') draft.setMember('typoTolerance.enabled', false);
  else if (value === 'min' || value === 'strict')
    draft.note(
      `typoTolerance: ${value}`,
      'has no counterpart: documents with more typos come later',
    );
}

/** A member of a setting, or of an object in it. @param path names with dots */
const member = (path: string, read: (value: unknown) => unknown = (value) => value) => ({
  becomes: `\`${path}\``,
  take: (value: unknown, draft: AlgoliaDraft) => draft.setMember(path, read(value)),
});

/** In processing order. */
export const ALGOLIA_SETTINGS: MappingTable<AlgoliaDraft> = {
  searchableAttributes: {
    becomes: '`searchableAttributes`, in their order',
    says: 'attributes that count the same there count by their order here; `unordered(…)` of all leaves out the ranking rule `wordPosition`, of some it is not kept',
    take: takeSearchable,
  },
  attributesToIndex: {
    becomes: '`searchableAttributes`: its older name',
    take: takeSearchable,
  },
  attributesForFaceting: {
    becomes: '`filterableAttributes`; `filterOnly(…)` without facet search',
    says: '`afterDistinct(…)` is not needed',
    take: takeFacets,
  },
  numericAttributesForFiltering: {
    becomes: '`filterableAttributes`',
    says: 'numbers can be filtered there without being named, here they must be',
    take: (value, draft) => {
      for (const entry of textsOf(value)) {
        const { attribute } = modified(entry);
        if (!draft.filterable.has(attribute)) draft.filterable.set(attribute, false);
      }
    },
  },
  ranking: {
    becomes:
      '`rankingRules`: `typo`, `words`, `proximity` as they are, `attribute` → `attributeRank` and `wordPosition`, `exact` → `exactness`, `geo` → `sort`, `custom` → the custom ranking',
    says: '`filters` is not kept: filters do not rank',
    take: (value, draft) => {
      draft.ranking = textsOf(value);
    },
  },
  customRanking: {
    becomes: '`rankingRules`: `desc(x)` → `x:desc`',
    take: (value, draft) => {
      draft.customRanking = textsOf(value);
    },
  },
  attributeForDistinct: {
    becomes: '`distinctAttribute`, if `distinct` is set',
    take: (value, draft) => {
      draft.distinctAttribute = String(value);
    },
  },
  distinct: {
    becomes: '`distinctAttribute`',
    says: 'more than one hit for each value: give `groupBy` and `groupSize` in searches',
    take: (value, draft) => {
      draft.distinct = Number(value);
      if (draft.distinct > 1) draft.note(`distinct: ${draft.distinct}`, 'is 1 here; see `groupBy`');
    },
  },
  attributesToRetrieve: {
    becomes: '`displayedAttributes`',
    says: '`-attribute` is not kept',
    take: (value, draft) => {
      const list = textsOf(value);
      for (const hidden of list.filter((entry) => entry.startsWith('-')))
        draft.note(`attributesToRetrieve: ${hidden}`, 'is shown here: name the others');
      const shown = list.filter((entry) => !entry.startsWith('-'));
      if (shown.length > 0 && !shown.includes('*')) draft.others['displayedAttributes'] = shown;
    },
  },
  paginationLimitedTo: member('pagination.maxTotalHits'),
  maxValuesPerFacet: member('faceting.maxValuesPerFacet'),
  sortFacetValuesBy: member('faceting.sortFacetValuesBy', (value) => ({
    '*': value === 'alpha' ? 'alpha' : 'count',
  })),
  typoTolerance: {
    becomes: '`typoTolerance.enabled`',
    says: '`min` and `strict` are as `true`',
    take: takeTypos,
  },
  minWordSizefor1Typo: member('typoTolerance.minWordSizeForTypos.oneTypo', Number),
  minWordSizefor2Typos: member('typoTolerance.minWordSizeForTypos.twoTypos', Number),
  disableTypoToleranceOnAttributes: member('typoTolerance.disableOnAttributes', textsOf),
  disableTypoToleranceOnWords: member('typoTolerance.disableOnWords', textsOf),
  allowTyposOnNumericTokens: {
    becomes: '`typoTolerance.disableOnNumbers`, the other way round',
    take: () => undefined,
  },
  queryLanguages: {
    becomes: '`localizedAttributes` for `*`, if there is no `indexLanguages`',
    take: (value, draft) => {
      draft.queryLanguages = textsOf(value);
    },
  },
  indexLanguages: { becomes: '`localizedAttributes` for `*`', take: takeLanguages },
  ignorePlurals: {
    becomes: '`inflections`, for the languages that are known',
    says: 'stems meet more forms than plurals',
    take: takePlurals,
  },
  separatorsToIndex: {
    becomes: '`nonSeparatorTokens`, a character each',
    take: (value, draft) => {
      draft.others['nonSeparatorTokens'] = [...String(value)];
    },
  },
  removeWordsIfNoResults: {
    becomes: '`matchingStrategy`: `none` → `all`, `lastWords` → `last`, `allOptional` → `any`',
    says: '`firstWords` is not kept',
    take: takeOptionalWords,
  },
  queryType: {
    becomes: '`prefixSearch`: `prefixNone` → `disabled`',
    says: '`prefixAll` is as `prefixLast`: the last word may be a beginning',
    take: (value, draft) => {
      if (value === 'prefixNone') draft.others['prefixSearch'] = 'disabled';
      if (value === 'prefixAll') draft.note('queryType: prefixAll', 'is prefixLast here');
    },
  },
  removeStopWords: lost('are lists of languages there: give a list as `stopWords`'),
  replicas: lost('are no indexes here: name their order in `sort` of a search'),
  primary: lost('belongs to a replica'),
  unretrievableAttributes: lost('are shown here: name the others in `displayedAttributes`'),
  ...each(
    `hitsPerPage attributesToHighlight attributesToSnippet highlightPreTag highlightPostTag
     snippetEllipsisText`,
    lost('is said in each search here'),
  ),
  ...each('restrictHighlightAndSnippetArrays responseFields', lost()),
  optionalWords: lost('has no counterpart; see `matchingStrategy`'),
  exactOnSingleWordQuery: lost(
    'is `attribute` here: a document is exact when an attribute is the query',
  ),
  ...each(
    `alternativesAsExact disableExactOnAttributes disablePrefixOnAttributes
     attributeCriteriaComputedByMinProximity`,
    lost(),
  ),
  advancedSyntax: lost('is always so for "phrases" and -words'),
  advancedSyntaxFeatures: lost('are phrases and -words'),
  minProximity: lost(),
  camelCaseAttributes: lost('has no counterpart: `camelCase` is split in all attributes'),
  ...each(
    'decompoundedAttributes decompoundQuery',
    lost('is so where an attribute is German by `localizedAttributes`'),
  ),
  keepDiacriticsOnCharacters: lost('has no counterpart: accents do not count'),
  ...each('customNormalization attributesToTransliterate', lost()),
  enableRules: lost('belongs to rules, which have no counterpart'),
  ...each('enablePersonalization enableReRanking reRankingApplyFilter', lost()),
  relevancyStrictness: lost('has no counterpart; see `rankingScoreThreshold` of a search'),
  renderingContent: lost('is for interfaces: keep it in yours'),
  userData: lost('is for applications: keep it in yours'),
  semanticSearch: lost('needs an embedder: docs/vectors.md'),
  mode: lost('needs an embedder for meaning: docs/vectors.md'),
  replaceSynonymsInHighlight: lost(),
  numericAttributesToIndex: lost('is older than numericAttributesForFiltering'),
  allowCompressionOfIntegerArray: lost('is not needed'),
  version: { becomes: 'nothing: it counts changes there' },
};

const RANKING: Readonly<Record<string, readonly string[]>> = {
  typo: ['typo'],
  geo: ['sort'],
  words: ['words'],
  proximity: ['proximity'],
  attribute: ['attributeRank', 'wordPosition'],
  exact: ['exactness'],
};

export function rankingRules(draft: AlgoliaDraft): string[] {
  const custom = (entry: string): string[] => {
    const { modifier, attribute } = modified(entry);
    if (modifier === 'asc' || modifier === 'desc') return [`${attribute}:${modifier}`];
    draft.note(`ranking: ${entry}`, 'has no counterpart');
    return [];
  };
  const rules = draft.ranking.flatMap((entry) => {
    if (entry === 'custom') return draft.customRanking.flatMap(custom);
    if (entry === 'filters') return [];
    return RANKING[entry] ?? custom(entry);
  });
  const wanted = draft.isUnordered ? rules.filter((rule) => rule !== 'wordPosition') : rules;
  return [...new Set(wanted)];
}
