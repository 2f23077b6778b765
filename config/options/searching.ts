/** Launch options of searches: threads, memory, queue. */
import { cores } from '../formats.ts';
import { option } from './option.ts';

export const searchingOptions = {
  queryThreads: option<number>({
    doc: 'Threads of the query pool of a front; default one per core.',
    format: 'threads',
    default: cores(),
    env: 'SVC_QUERY_THREADS',
    arg: 'query-threads',
  }),
  servingThreads: option<number>({
    doc: 'Threads of a front that each serve a share of the connections and answer short searches in place; only long searches go to the query pool. 0 = one loop serves and hands every search to the pool, as it does with TLS and where uWebSockets.js has no binary.',
    format: 'count',
    default: 0,
    env: 'SVC_SERVING_THREADS',
    arg: 'serving-threads',
  }),
  queryCacheSize: option<number>({
    doc: 'Memory in which each query thread keeps what later searches need again: documents and positions of words, merged facet values.',
    format: 'size',
    default: 64 << 20,
    env: 'SVC_QUERY_CACHE_SIZE',
    arg: 'query-cache-size',
  }),
  answerCacheSize: option<number>({
    doc: 'Memory in which a front keeps finished answers of searches, for when the same is asked again before the index changes; 0 keeps none.',
    format: 'size',
    default: 16 << 20,
    env: 'SVC_ANSWER_CACHE_SIZE',
    arg: 'answer-cache-size',
  }),
  searchQueueSize: option<number>({
    doc: 'Searches that may wait; 0 refuses what cannot start at once.',
    format: 'count',
    default: 1000,
    env: 'SVC_EXPERIMENTAL_SEARCH_QUEUE_SIZE',
    arg: 'experimental-search-queue-size',
  }),
  dropSearchAfter: option<number>({
    doc: 'Seconds after which a waiting search is dropped.',
    format: 'positive',
    default: 60,
    env: 'SVC_EXPERIMENTAL_DROP_SEARCH_AFTER',
    arg: 'experimental-drop-search-after',
  }),
  nbSearchesPerCore: option<number>({
    doc: 'Searches that may be under way for each query thread.',
    format: 'positive',
    default: 4,
    env: 'SVC_EXPERIMENTAL_NB_SEARCHES_PER_CORE',
    arg: 'experimental-nb-searches-per-core',
  }),
  readerPrefetchMemory: option<number>({
    doc: 'Vectors that a front reads into memory (the page cache) before it serves, so that no search after a start waits for the disk: a size, or `true` for half of the memory; first what every search reads. A variable `<any prefix>_READER_PREFETCH_MEMORY` is read too.',
    format: 'share',
    default: 0,
    env: 'SVC_READER_PREFETCH_MEMORY',
    commonEnv: /^\w+_READER_PREFETCH_MEMORY$/,
    arg: 'reader-prefetch-memory',
  }),
  containsFilter: option<boolean>({
    doc: 'Starts with the experimental feature `containsFilter` on: filters may use CONTAINS.',
    format: 'flag',
    default: false,
    env: 'SVC_EXPERIMENTAL_CONTAINS_FILTER',
    arg: 'experimental-contains-filter',
  }),
  legacySearch: option<boolean>({
    doc: 'Starts with the experimental feature `legacySearch` on: totals and numbers of pages end at `maxTotalHits`, as what can be reached does.',
    format: 'flag',
    default: false,
    env: 'SVC_EXPERIMENTAL_LEGACY_SEARCH',
    arg: 'experimental-legacy-search-default',
  }),
  remoteSearchTimeoutSeconds: option<number>({
    doc: 'Seconds after which a search asked of another instance of the network is given up.',
    format: 'positive',
    default: 25,
    env: 'SVC_EXPERIMENTAL_REMOTE_SEARCH_TIMEOUT_SECONDS',
    arg: 'experimental-remote-search-timeout-seconds',
  }),
};
