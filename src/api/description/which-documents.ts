/** Parameters that select and order the documents of a search. */
import { limits } from '../../core/limits.ts';
import type { SearchParameter } from './search-parameter.ts';

const NAMES = `${limits.namesPerListMax.toLocaleString('en')} names, ${limits.patternsPerListMax} of them with \`*\`.`;

export const WHICH_DOCUMENTS: Readonly<Record<string, SearchParameter>> = {
  q: {
    means:
      'The words of the query; an absent, empty or null query is a placeholder search, which finds all documents.',
    default: 'null',
    limits: `The first ${limits.queryTermsMax} words count, with the matching strategy \`any\` ${limits.sentenceTermsMax}; words in quotes are a phrase, a word after \`-\` is excluded.`,
    request: { q: 'wondre wom', attributesToRetrieve: ['title'] },
    answer: { hits: [{ title: 'Wonder Woman' }] },
    mistake:
      'Waiting for complete words: send each keystroke, the last word is matched as a prefix.',
  },
  filter: {
    means: 'Conditions that documents must meet, in the filter language or as nested lists.',
    default: 'null',
    limits: 'Names attributes of `filterableAttributes`.',
    request: { filter: 'year > 2010 AND genres = Comedy', attributesToRetrieve: ['title'] },
    answer: { hits: [{ title: 'The Grand Budapest Hotel' }, { title: 'Parasite' }] },
    mistake:
      'Values with spaces need quotes: `director = "Wes Anderson"`. In a list the outer level is AND, the inner level OR.',
  },
  sort: {
    means:
      'Attributes by which equally relevant documents are ordered, each with `:asc` or `:desc`.',
    default: 'null',
    limits: `Names attributes of \`sortableAttributes\`, or \`_geoPoint(lat, lng)\`. ${NAMES}`,
    request: { sort: ['year:asc'], limit: 1, attributesToRetrieve: ['title', 'year'] },
    answer: { hits: [{ title: 'The General', year: 1926 }] },
    mistake:
      'With words the ranking rules before `sort` decide first; put `sort` at the front of `rankingRules` to order by it alone.',
  },
  distinct: {
    means: 'An attribute of which each value occurs in one hit only, the best one.',
    default: 'the setting `distinctAttribute`',
    limits: 'Names an attribute of `filterableAttributes`.',
    request: { q: 'war', distinct: 'director', attributesToRetrieve: ['title'], limit: 2 },
    answer: { hits: [{ title: 'Star Wars' }, { title: 'Seven Samurai' }] },
    mistake: 'Totals count the hits that remain: count variants with `facets` instead.',
  },
  groupBy: {
    means:
      'An attribute whose values form groups: each hit is the best document of its group and shows the next ones in `_group`.',
    default: 'null',
    limits: 'Names an attribute of `filterableAttributes`; excludes `distinct`.',
    request: { q: 'paris', groupBy: 'country', attributesToRetrieve: ['title'], limit: 1 },
    answer: {
      hits: [{ title: 'The 400 Blows', _group: { value: 'France', count: 4 } }],
      totalGroups: 3,
      totalDocuments: 6,
    },
    mistake:
      '`offset`, `limit` and totals count groups, not documents; `totalDocuments` counts these.',
  },
  groupSize: {
    means: 'The number of documents shown of each group, the hit included.',
    default: '3',
    limits: `1 to ${limits.groupSizeMax}.`,
    request: {
      q: '',
      groupBy: 'country',
      groupSize: 2,
      sort: ['year:asc'],
      attributesToRetrieve: ['title'],
      limit: 1,
    },
    answer: {
      hits: [
        {
          title: 'The General',
          _group: { value: 'USA', count: 11, hits: [{ title: 'Casablanca' }] },
        },
      ],
    },
    mistake: 'Without `groupBy` it has no effect.',
  },
  diversity: {
    means:
      'Reorders the first hits so that similar ones do not follow each other: by an `attribute` or by vectors of an `embedder`, with a `strength` from 0 to 1, for the first `limit` hits.',
    default: 'null',
    limits: `One of \`attribute\` (of \`filterableAttributes\`) and \`embedder\`; \`strength\` 0.5 by default; \`limit\` 1 to ${limits.diversityMax}, ${limits.diversityDefault} by default. Excludes \`groupBy\` and \`useNetwork\`.`,
    request: {
      q: 'paris',
      diversity: { attribute: 'country', strength: 0.5 },
      attributesToRetrieve: ['title', 'country'],
      limit: 2,
    },
    answer: {
      hits: [
        { title: 'The 400 Blows', country: 'France' },
        { title: 'Casablanca', country: 'USA' },
      ],
    },
    mistake: 'Hits behind `limit` keep their order: a page beyond it has no diversity.',
  },
  matchingStrategy: {
    means:
      'Which words a document must have: `last` leaves words out from the end, `all` none, `frequency` frequent words first, `any` ranks documents with any of them by statistics.',
    default: '"last", or the setting `matchingStrategy`',
    request: { q: 'lobby boy hunted spaceship', matchingStrategy: 'all' },
    answer: { hits: [] },
    mistake: 'Questions in whole sentences need `any`; the default drops their last words first.',
  },
  attributesToSearchOn: {
    means: 'The attributes in which words are looked for, instead of all searchable ones.',
    default: 'null, which means all',
    limits: `Must be among \`searchableAttributes\`. ${NAMES}`,
    request: { q: 'anderson', attributesToSearchOn: ['title'] },
    answer: { hits: [] },
    mistake: 'It does not change the order of attributes, which `searchableAttributes` fixes.',
  },
  rankingScoreThreshold: {
    means: 'The least ranking score of a hit; documents below it are neither shown nor counted.',
    default: 'null',
    limits: '0.0 to 1.0.',
    request: { q: 'wondre wom', rankingScoreThreshold: 0.99 },
    answer: { hits: [] },
    mistake:
      'Scores compare documents of one query, not of different ones: choose the threshold with `showRankingScore` on real queries.',
  },
  locales: {
    means: 'Languages of the query, for scripts that several languages share.',
    default: 'null, which means detected from the script',
    limits: 'Codes of ISO 639-3, such as `jpn`, or 639-1, such as `ja`.',
    request: { q: 'budapest', locales: ['eng'], attributesToRetrieve: ['title'] },
    answer: { hits: [{ title: 'The Grand Budapest Hotel' }] },
    mistake:
      'Documents are read by their own language: set `localizedAttributes` too, or Japanese and Chinese are cut differently.',
  },
  offset: {
    means: 'The number of hits that are skipped.',
    default: '0',
    limits: 'Offset and limit together end at `pagination.maxTotalHits` (1,000).',
    request: { sort: ['year:asc'], offset: 1, limit: 1, attributesToRetrieve: ['title'] },
    answer: { hits: [{ title: 'Metropolis' }], offset: 1 },
    mistake: 'Ignored next to `page` or `hitsPerPage`.',
  },
  limit: {
    means: 'The greatest number of hits in the answer.',
    default: '20',
    limits: 'Up to `pagination.maxTotalHits` (1,000).',
    request: { q: '', limit: 2, attributesToRetrieve: ['id'] },
    answer: { limit: 2, offset: 0, estimatedTotalHits: 48 },
    mistake: 'To read all documents use `GET /indexes/{uid}/documents`, which has no such bound.',
  },
  page: {
    means: 'The number of the page of hits, with exact totals.',
    default: 'null',
    limits: 'Begins at 1; page 0 has no hits.',
    request: { q: '', page: 2, hitsPerPage: 20, attributesToRetrieve: ['id'] },
    answer: { page: 2, hitsPerPage: 20, totalPages: 3, totalHits: 48 },
    mistake:
      'Exact totals take more time than `estimatedTotalHits`: without page numbers in your design use `offset` and `limit`.',
  },
  hitsPerPage: {
    means: 'The number of hits of a page, with exact totals.',
    default: 'null, or 20 next to `page`',
    limits: '0 shows only the totals.',
    request: { q: 'love', hitsPerPage: 1, attributesToRetrieve: ['id'] },
    answer: { page: 1, hitsPerPage: 1 },
    mistake: 'The answer has `totalHits` and `totalPages` then, and no `estimatedTotalHits`.',
  },
  facets: {
    means: 'Attributes whose values are counted over all documents found.',
    default: 'null',
    limits: `Names attributes of \`filterableAttributes\`, \`*\` means all. ${NAMES} \`faceting.maxValuesPerFacet\` (100) values each.`,
    request: { q: '', facets: ['country'], limit: 0 },
    answer: { hits: [], facetDistribution: { country: { France: 6 } } },
    mistake:
      'A facet that is filtered by counts only what the filter leaves; ask for its other values by a second query of `/multi-search` without that filter.',
  },
  sortFacetValuesBy: {
    means: 'The order of all facet values: `alpha`, or `count` with the most frequent first.',
    default: 'the setting `faceting.sortFacetValuesBy`',
    request: { q: '', facets: ['genres'], sortFacetValuesBy: 'count', limit: 0 },
    answer: { hits: [], facetDistribution: { genres: { Drama: 27 } } },
    mistake:
      'With `alpha` a facet of many values shows the first by name; its most frequent ones need `count`.',
  },
  aggregations: {
    means:
      'Figures of all documents found by name: `min`, `max`, `sum`, `mean`, `percentiles`, `cardinality`, and counts by `terms`, `range` or `dateHistogram`.',
    default: 'null',
    limits: `Attributes of \`filterableAttributes\`; ${limits.aggregationsMax} aggregations and ${limits.aggregation.bucketsMax.toLocaleString('en')} buckets in a request.`,
    request: {
      q: '',
      limit: 0,
      aggregations: { newest: { type: 'max', attribute: 'year', filter: 'country = Italy' } },
    },
    answer: { aggregations: { newest: { value: 1968 } } },
    mistake:
      '`facetStats` of `facets` has the least and greatest number, too: ask for one of them.',
  },
  useNetwork: {
    means: 'Whether the search also asks the remote instances of `/network`.',
    default: 'false',
    limits: 'Needs the experimental feature `network`.',
    request: { q: 'love', useNetwork: true },
    mistake: 'Each instance needs a search key of the others in `PATCH /network`.',
  },
};
