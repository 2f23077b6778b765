/** Launch options of searches: threads, memory, queue. */
import { cores } from '../formats.ts';
import { option } from './option.ts';

export const searchingOptions = {
  queryThreads: option<number>({
    doc: 'Query threads of a front; default one per core.',
    format: 'threads',
    default: cores(),
    arg: 'query-threads',
  }),
  queryCacheSize: option<number | null>({
    doc: 'Query cache size per thread: documents of words, merged facet values. Three quarters are shared by the threads. Default: 72 MiB; with large indexes the shared part grows to a fifth of their document files, at most a sixteenth of the RAM.',
    format: 'size',
    default: null,
    arg: 'query-cache-size',
  }),
  answerCacheSize: option<number>({
    doc: 'Response cache size of a front: responses of searches, reused until the index changes; 0 disables the cache.',
    format: 'size',
    default: 16 << 20,
    arg: 'answer-cache-size',
  }),
  searchQueueSize: option<number>({
    doc: 'Maximum searches in the queue; 0 refuses searches that cannot start at once.',
    format: 'count',
    default: 1000,
    arg: 'experimental-search-queue-size',
  }),
  dropSearchAfter: option<number>({
    doc: 'Seconds after which a queued search is dropped.',
    format: 'positive',
    default: 60,
    arg: 'experimental-drop-search-after',
  }),
  searchTimeoutSeconds: option<number>({
    doc: 'Time limit in seconds, from its arrival, of a request that reads indexes; then it fails with `search_timeout`. Covers all queries of a multi-search, facets, hits, formatting and merging. The setting `searchCutoffMs` ends only the ranking, and returns the hits found so far.',
    format: 'positive',
    default: 30,
    arg: 'search-timeout-seconds',
  }),
  maxMultiSearchQueries: option<number>({
    doc: 'Maximum queries in one multi-search.',
    format: 'positive',
    default: 1000,
    arg: 'max-multi-search-queries',
  }),
  maxResponseSize: option<number>({
    doc: 'Maximum size of a response with search results or documents; a larger response fails with `response_too_large`. Responses of more than 64 KiB that clients have not read yet take at most four times this size together, those of up to 1 MiB another 128 MiB; further ones get status 503.',
    format: 'size',
    default: 100 << 20,
    arg: 'max-response-size',
  }),
  nbSearchesPerCore: option<number>({
    doc: 'Maximum concurrent searches for each query thread.',
    format: 'positive',
    default: 4,
    arg: 'experimental-nb-searches-per-core',
  }),
  readerPrefetchMemory: option<number>({
    doc: 'Bytes of vectors that a front reads into the page cache before it serves, so that the first searches need no disk access: a size, or `true` for half of the memory. Starts with the data that every search reads. A variable `<any prefix>_READER_PREFETCH_MEMORY` is read too.',
    format: 'share',
    default: 0,
    commonEnv: /^\w+_READER_PREFETCH_MEMORY$/,
    arg: 'reader-prefetch-memory',
  }),
  containsFilter: option<boolean>({
    doc: 'Enables the experimental feature `containsFilter` at start: CONTAINS in filters.',
    format: 'flag',
    default: false,
    arg: 'experimental-contains-filter',
  }),
  legacySearch: option<boolean>({
    doc: 'Enables the experimental feature `legacySearch` at start: `maxTotalHits` also caps `totalHits` and `totalPages`.',
    format: 'flag',
    default: false,
    env: 'SVC_EXPERIMENTAL_LEGACY_SEARCH',
    arg: 'experimental-legacy-search-default',
  }),
  personalizationApiKey: option<string | null>({
    doc: 'API key of the reranking service for searches with `personalize`; without it such searches are refused.',
    format: 'text',
    default: null,
    arg: 'experimental-personalization-api-key',
    sensitive: true,
  }),
  personalizationUrl: option<string>({
    doc: 'URL of the reranking service; its API is that of Cohere, version 2.',
    format: 'httpUrl',
    default: 'https://api.cohere.com/v2/rerank',
    arg: 'personalization-url',
  }),
  personalizationModel: option<string>({
    doc: 'Model of the reranking service.',
    format: 'text',
    default: 'rerank-v3.5',
    arg: 'personalization-model',
  }),
  personalizationTimeoutMs: option<number>({
    doc: 'Milliseconds that a search waits for the reranking service; then the hits keep their order.',
    format: 'positive',
    default: 2000,
    arg: 'personalization-timeout-ms',
  }),
  remoteSearchTimeoutSeconds: option<number>({
    doc: 'Timeout in seconds of a search on a remote instance of the network.',
    format: 'positive',
    default: 25,
    arg: 'experimental-remote-search-timeout-seconds',
  }),
};
