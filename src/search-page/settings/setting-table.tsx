/** The form of every setting: the page shows them in this order. */
import type { Settings } from '../../model/settings.ts';
import { ChatFields } from './chat-fields.tsx';
import {
  CutoffField,
  choice,
  FacetingFields,
  flag,
  InflectedLanguages,
  LocalizedFields,
  PaginationField,
  RankingRules,
  Rerankers,
  TypoFields,
} from './compound-controls.tsx';
import type { ControlProps } from './control.ts';
import { EmbedderList } from './embedders.tsx';
import {
  AllOrFields,
  FieldList,
  FilterableFields,
  ForeignKeys,
  OneField,
} from './field-controls.tsx';
import { SynonymRows, TokenList, WordList } from './word-controls.tsx';

export const GROUPS = {
  fields: 'Fields',
  ranking: 'Ranking',
  facets: 'Filters and facets',
  words: 'Words',
  languages: 'Languages',
  limits: 'Limits',
  meaning: 'Search by meaning',
} as const;
export type Group = keyof typeof GROUPS;

export interface SettingForm<Value> {
  readonly group: Group;
  readonly title: string;
  readonly about: string;
  readonly control: (props: ControlProps<Value>) => preact.JSX.Element;
}

export const SETTING_FORMS: { readonly [Name in keyof Settings]: SettingForm<Settings[Name]> } = {
  searchableAttributes: {
    group: 'fields',
    title: 'Searchable fields',
    about: 'Where search looks for words. A word in an earlier field counts more.',
    control: AllOrFields,
  },
  displayedAttributes: {
    group: 'fields',
    title: 'Displayed fields',
    about: 'Fields that search results contain.',
    control: AllOrFields,
  },
  distinctAttribute: {
    group: 'fields',
    title: 'Distinct field',
    about: 'Of the documents with the same value, results contain only the best.',
    control: OneField,
  },
  foreignKeys: {
    group: 'fields',
    title: 'Joins',
    about: 'Fields whose values are ids of documents in another index.',
    control: ForeignKeys,
  },
  rankingRules: {
    group: 'ranking',
    title: 'Ranking rules',
    about:
      'Compare results one after the other: a rule decides only among equals of the rules above.',
    control: RankingRules,
  },
  matchingStrategy: {
    group: 'ranking',
    title: 'Matching strategy',
    about: 'Which words of a query may be missing in a result.',
    control: choice({
      last: 'The last words may be missing',
      all: 'All words must match',
      frequency: 'The most frequent words may be missing',
      any: 'Any word is enough',
    }),
  },
  proximityPrecision: {
    group: 'ranking',
    title: 'Proximity precision',
    about: 'How exactly the rule proximity measures the distance of words.',
    control: choice({ byWord: 'By words', byAttribute: 'Only whether they share a field' }),
  },
  typoTolerance: {
    group: 'ranking',
    title: 'Typo tolerance',
    about: 'Which words may differ from the typed ones by one or two letters.',
    control: TypoFields,
  },
  filterableAttributes: {
    group: 'facets',
    title: 'Filterable fields',
    about: 'Fields that filters and facets may use. Name _geo to filter by distance.',
    control: FilterableFields,
  },
  sortableAttributes: {
    group: 'facets',
    title: 'Sortable fields',
    about: 'Fields by which users may sort results.',
    control: FieldList,
  },
  faceting: {
    group: 'facets',
    title: 'Facet values',
    about: 'How many values of each facet a search returns, and in which order.',
    control: FacetingFields,
  },
  facetSearch: {
    group: 'facets',
    title: 'Facet search',
    about: 'Lets users search among the values of a facet.',
    control: flag('Search in facet values'),
  },
  synonyms: {
    group: 'words',
    title: 'Synonyms',
    about: 'Words that also find documents with other words.',
    control: SynonymRows,
  },
  stopWords: {
    group: 'words',
    title: 'Stop words',
    about: 'Words that search ignores, such as the, of, a.',
    control: WordList,
  },
  dictionary: {
    group: 'words',
    title: 'Dictionary',
    about: 'Texts that stay one word, such as J. R. R.',
    control: WordList,
  },
  separatorTokens: {
    group: 'words',
    title: 'Additional separators',
    about: 'Characters that end a word.',
    control: TokenList,
  },
  nonSeparatorTokens: {
    group: 'words',
    title: 'Characters of words',
    about: 'Characters that do not end a word, such as # in C#.',
    control: TokenList,
  },
  prefixSearch: {
    group: 'words',
    title: 'Prefix search',
    about: 'Whether the beginning of a word finds it while the user types.',
    control: choice({
      indexingTime: 'Beginnings of words match',
      disabled: 'Only whole words match',
    }),
  },
  substringAttributes: {
    group: 'words',
    title: 'Substring search',
    about:
      'Fields found by any part of three characters or more, such as part numbers and file names.',
    control: FieldList,
  },
  localizedAttributes: {
    group: 'languages',
    title: 'Languages of fields',
    about: 'Without a rule, the language of each text is detected.',
    control: LocalizedFields,
  },
  inflections: {
    group: 'languages',
    title: 'Inflections',
    about: 'Languages in which a word finds its other forms: dive, dives, diving.',
    control: InflectedLanguages,
  },
  pagination: {
    group: 'limits',
    title: 'Pagination',
    about: 'Deeper pages take more time.',
    control: PaginationField,
  },
  searchCutoffMs: {
    group: 'limits',
    title: 'Search time limit',
    about: 'After this time a search returns the results that it has ranked so far.',
    control: CutoffField,
  },
  embedders: {
    group: 'meaning',
    title: 'Embedders',
    about: 'Turn texts into vectors, for search by meaning.',
    control: EmbedderList,
  },
  rerankers: {
    group: 'meaning',
    title: 'Rerankers',
    about: 'Models that put the first hits into their order, by name.',
    control: Rerankers,
  },
  chat: {
    group: 'meaning',
    title: 'Chat',
    about: 'How chats search this index.',
    control: ChatFields,
  },
};

export const SETTING_NAMES = Object.keys(SETTING_FORMS) as readonly (keyof Settings)[];
