/** Indexes of Algolia: settings, synonyms and rules as its API exports them, and its records. */
import { ChangeDraft } from './change-draft.ts';
import {
  isJson,
  type MapDocument,
  type MappedIndex,
  type MappingTable,
  type Members,
  textsOf,
} from './mapped-index.ts';
import { placeOf } from './places.ts';
import { SettingsDraft, takeMembers } from './settings-draft.ts';

export const ALGOLIA_ID = 'objectID';

class AlgoliaDraft extends SettingsDraft {
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
  typo: Record<string, unknown> = {};
  words: Record<string, number> = {};
}

/** `modifier(attribute)` or the attribute alone. */
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

function takeLanguages(value: unknown, draft: AlgoliaDraft): void {
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
  if (value === 'false') draft.typo['enabled'] = false;
  else if (value === 'min' || value === 'strict')
    draft.note(
      `typoTolerance: ${value}`,
      'has no counterpart: documents with more typos come later',
    );
}

const pages = (becomes: string, section: string, member: string) => ({
  becomes,
  take: (value: unknown, draft: AlgoliaDraft) => {
    const before = draft.others[section];
    draft.others[section] = { ...(isJson(before) && before), [member]: value };
  },
});

const EACH_SEARCH = 'is said in each search here';
const NO_COUNTERPART = 'has no counterpart';
const not = (says = NO_COUNTERPART) => ({ becomes: null, says });

/** In the order in which they are read. */
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
    says: 'more than one hit for each value is one here',
    take: (value, draft) => {
      draft.distinct = Number(value);
      if (draft.distinct > 1) draft.note(`distinct: ${draft.distinct}`, 'is 1 here');
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
  paginationLimitedTo: pages('`pagination.maxTotalHits`', 'pagination', 'maxTotalHits'),
  maxValuesPerFacet: pages('`faceting.maxValuesPerFacet`', 'faceting', 'maxValuesPerFacet'),
  sortFacetValuesBy: {
    becomes: '`faceting.sortFacetValuesBy`',
    take: (value, draft) => {
      const order = { '*': value === 'alpha' ? 'alpha' : 'count' };
      pages('', 'faceting', 'sortFacetValuesBy').take(order, draft);
    },
  },
  typoTolerance: {
    becomes: '`typoTolerance.enabled`',
    says: '`min` and `strict` are as `true`',
    take: takeTypos,
  },
  minWordSizefor1Typo: {
    becomes: '`typoTolerance.minWordSizeForTypos.oneTypo`',
    take: (value, draft) => {
      draft.words['oneTypo'] = Number(value);
    },
  },
  minWordSizefor2Typos: {
    becomes: '`typoTolerance.minWordSizeForTypos.twoTypos`',
    take: (value, draft) => {
      draft.words['twoTypos'] = Number(value);
    },
  },
  disableTypoToleranceOnAttributes: {
    becomes: '`typoTolerance.disableOnAttributes`',
    take: (value, draft) => {
      draft.typo['disableOnAttributes'] = textsOf(value);
    },
  },
  disableTypoToleranceOnWords: {
    becomes: '`typoTolerance.disableOnWords`',
    take: (value, draft) => {
      draft.typo['disableOnWords'] = textsOf(value);
    },
  },
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
  removeStopWords: not('are lists of languages there: give a list as `stopWords`'),
  replicas: not('are no indexes here: name their order in `sort` of a search'),
  primary: not('belongs to a replica'),
  unretrievableAttributes: not('are shown here: name the others in `displayedAttributes`'),
  hitsPerPage: not(EACH_SEARCH),
  attributesToHighlight: not(EACH_SEARCH),
  attributesToSnippet: not(EACH_SEARCH),
  highlightPreTag: not(EACH_SEARCH),
  highlightPostTag: not(EACH_SEARCH),
  snippetEllipsisText: not(EACH_SEARCH),
  restrictHighlightAndSnippetArrays: not(),
  responseFields: not(),
  optionalWords: not('has no counterpart; see `matchingStrategy`'),
  exactOnSingleWordQuery: not(
    'is `attribute` here: a document is exact when an attribute is the query',
  ),
  alternativesAsExact: not(),
  disableExactOnAttributes: not(),
  disablePrefixOnAttributes: not(),
  attributeCriteriaComputedByMinProximity: not(),
  advancedSyntax: not('is always so for "phrases" and -words'),
  advancedSyntaxFeatures: not('are phrases and -words'),
  minProximity: not(),
  camelCaseAttributes: not('has no counterpart: `camelCase` is split in all attributes'),
  decompoundedAttributes: not('is so where an attribute is German by `localizedAttributes`'),
  decompoundQuery: not('is so where an attribute is German by `localizedAttributes`'),
  keepDiacriticsOnCharacters: not('has no counterpart: accents do not count'),
  customNormalization: not(),
  attributesToTransliterate: not(),
  enableRules: not('belongs to rules, which have no counterpart'),
  enablePersonalization: not(),
  enableReRanking: not(),
  reRankingApplyFilter: not(),
  relevancyStrictness: not('has no counterpart; see `rankingScoreThreshold` of a search'),
  renderingContent: not('is for interfaces: keep it in yours'),
  userData: not('is for applications: keep it in yours'),
  semanticSearch: not('needs an embedder: docs/vectors.md'),
  mode: not('needs an embedder for meaning: docs/vectors.md'),
  replaceSynonymsInHighlight: not(),
  numericAttributesToIndex: not('is older than numericAttributesForFiltering'),
  allowCompressionOfIntegerArray: not('is not needed'),
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

function rankingRules(draft: AlgoliaDraft): string[] {
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

/** @param rows as the API exports them: of `type`, with `synonyms`, `input`, `word`, `corrections` */
function takeSynonyms(rows: readonly Members[], draft: AlgoliaDraft): void {
  for (const row of rows) {
    const { objectID, type, input, word } = row;
    const name = `synonym ${String(objectID)}`;
    const kind = String(type).toLowerCase();
    if (kind === 'synonym') draft.addSynonyms(textsOf(row['synonyms']));
    else if (kind === 'onewaysynonym' && typeof input === 'string')
      draft.addOneWay(input, textsOf(row['synonyms']));
    else if (/^altcorrection[12]$/.test(kind) && typeof word === 'string') {
      draft.addOneWay(word, textsOf(row['corrections']));
      draft.note(
        name,
        'is an alternative correction: a synonym here, which does not count as a typo',
      );
    } else draft.note(name, `has no counterpart (${String(type)})`);
  }
}

export interface AlgoliaExport {
  readonly indexUid: string;
  readonly settings: Members;
  readonly synonyms: readonly Members[];
  readonly rules: readonly Members[];
}

export function mapAlgoliaIndex({
  indexUid,
  settings,
  synonyms,
  rules,
}: AlgoliaExport): MappedIndex {
  const draft = new AlgoliaDraft();
  takeMembers(ALGOLIA_SETTINGS, settings, draft);
  if (settings['allowTyposOnNumericTokens'] === false) draft.typo['disableOnNumbers'] = true;
  if (settings['typoTolerance'] === false) draft.typo['enabled'] = false;
  if (Object.keys(draft.words).length > 0) draft.typo['minWordSizeForTypos'] = draft.words;
  if (Object.keys(draft.typo).length > 0) draft.others['typoTolerance'] = draft.typo;
  if (draft.distinctAttribute !== null && draft.distinct > 0)
    draft.others['distinctAttribute'] = draft.distinctAttribute;
  if (draft.localized.length === 0) takeLanguages(draft.queryLanguages, draft);
  draft.others['rankingRules'] = rankingRules(draft);
  takeSynonyms(synonyms, draft);
  for (const rule of rules)
    draft.note(
      `rule ${String(rule['objectID'])}`,
      'has no counterpart: hits cannot be pinned or hidden',
    );
  draft.addPlace();
  if (!Array.isArray(settings['numericAttributesForFiltering']))
    draft.note(
      'numbers',
      'are filtered there without being named: add them to `filterableAttributes`',
    );
  return { uid: indexUid, primaryKey: ALGOLIA_ID, settings: draft.settings(), notes: draft.notes };
}

/** What answers to searches add to records. */
const OF_ANSWERS = ['_highlightResult', '_snippetResult', '_rankingInfo', '_distinctSeqID'];

export const mapAlgoliaRecord: MapDocument = (record) => {
  const draft = new ChangeDraft();
  draft.setId(record, ALGOLIA_ID, record[ALGOLIA_ID]);
  draft.remove.push(...OF_ANSWERS.filter((name) => Object.hasOwn(record, name)));
  const { _geoloc } = record;
  if (_geoloc === undefined) return draft;
  draft.remove.push('_geoloc');
  draft.setGeo('_geoloc', _geoloc, (value) => placeOf(value, 'latitude first'));
  return draft;
};
