/**
 * Random small indexes and queries in which typos, splits, ngrams, phrases, prefixes and synonyms
 * all occur.
 */
import fc from 'fast-check';
import type { MatchingStrategy } from '../../src/model/search.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../src/model/settings.ts';
import type { SourceDocument } from './build-snapshot.ts';
import type { OracleQuery, QueryItem } from './oracle-query.ts';

export interface SearchCase {
  readonly documents: readonly SourceDocument[];
  readonly settings: Settings;
  readonly query: OracleQuery;
  readonly strategy: MatchingStrategy;
  readonly searchOn: readonly string[] | null;
}

/** Words one or two letters apart, words made of two others, and prefixes of each other. */
const WORDS = [
  ...[
    'sun',
    'sum',
    'suns',
    'flower',
    'flowers',
    'flowar',
    'sunflower',
    'sunf',
    'lower',
    'low',
    'lowers',
    'glower',
  ],
  ...['sunday', 'day', 'days', 'the', '12', '3', '34', '123', '1234'],
];
const word = fc.constantFrom(...WORDS);
const typedWord = fc.oneof(
  { weight: 8, arbitrary: word },
  fc.constantFrom('sunflwoer', 'flo', 'su', 'flwoer', 'sundays', 'xlower', 'da'),
  fc.constantFrom('n-flow', 'ower', '4-sun', 'low-l', 'un-the-', '34-', 's-d-3'),
);

const text = fc
  .array(fc.tuple(word, fc.constantFrom(' ', ' ', ' ', '-', '. ')), { minLength: 1, maxLength: 9 })
  .map((parts) => parts.map(([w, gap], i) => (i === parts.length - 1 ? w : w + gap)).join(''));
const value = fc.oneof(
  { weight: 5, arbitrary: text },
  fc.array(text, { minLength: 1, maxLength: 3 }),
);
const document = fc.record({ title: value, body: value, note: value }, { requiredKeys: ['title'] });

/** Their ids are no words of any query. */
export const documentLists = (maxLength: number): fc.Arbitrary<SourceDocument[]> =>
  fc
    .array(document, { minLength: 1, maxLength })
    .map((list): SourceDocument[] => list.map((fields, id) => ({ ...fields, id: `i${id}` })));

const RULES = ['words', 'typo', 'proximity', 'attributeRank', 'sort', 'wordPosition', 'exactness'];
const rankingRules = fc.oneof(
  fc.constant(RULES),
  fc.shuffledSubarray(RULES, { minLength: 1 }),
  fc.shuffledSubarray(['words', 'typo', 'proximity', 'attribute', 'exactness'], { minLength: 2 }),
);
const settings = fc
  .record({
    rankingRules,
    substringAttributes: fc.constantFrom([], [], ['title'], ['no*', 'body'], ['*']),
    searchableAttributes: fc.constantFrom(['*'], ['title', 'body', 'note'], ['body', 'title']),
    stopWords: fc.constantFrom([], ['the']),
    prefixSearch: fc.constantFrom(
      'indexingTime' as const,
      'indexingTime' as const,
      'disabled' as const,
    ),
    synonyms: fc.constantFrom(
      {},
      { day: ['sunflower', 'low sun'], 'sun flower': ['lower'], sunflower: ['day'] },
    ),
    typoTolerance: fc.record({
      enabled: fc.constantFrom(true, true, true, false),
      minWordSizeForTypos: fc.constantFrom(
        { oneTypo: 5, twoTypos: 9 },
        { oneTypo: 3, twoTypos: 5 },
      ),
      disableOnWords: fc.constantFrom([], ['flower']),
      disableOnAttributes: fc.constantFrom([], [], ['body']),
      disableOnNumbers: fc.boolean(),
    }),
  })
  .map((some): Settings => ({ ...DEFAULT_SETTINGS, ...some }));

const phraseItem = fc
  .array(word, { minLength: 1, maxLength: 3 })
  .map((words): QueryItem => ({ kind: 'phrase', words }));
const item: fc.Arbitrary<QueryItem> = fc.oneof(
  { weight: 14, arbitrary: typedWord.map((w): QueryItem => ({ kind: 'word', text: w })) },
  { weight: 2, arbitrary: phraseItem },
  { weight: 1, arbitrary: fc.constant<QueryItem>({ kind: 'hard' }) },
  { weight: 1, arbitrary: word.map((w): QueryItem => ({ kind: 'not', text: w })) },
);
const query: fc.Arbitrary<OracleQuery> = fc.record({
  items: fc.array(item, { minLength: 1, maxLength: 4 }),
  trailingSpace: fc.constantFrom(false, false, true),
});

export const searchCases: fc.Arbitrary<SearchCase> = fc.record({
  documents: documentLists(10),
  settings,
  query,
  strategy: fc.constantFrom<MatchingStrategy>('last', 'last', 'all', 'frequency'),
  searchOn: fc.constantFrom(null, null, null, ['title'], ['title', 'body']),
});
