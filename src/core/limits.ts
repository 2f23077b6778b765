/**
 * Limits of the API contract and limits shared by several modules. Units are in the names, reasons
 * in the comments. Other limits are defined where they are enforced.
 */
export const limits = {
  /** ASCII letters, digits, `_` and `-`. */
  indexUidBytesMax: 400,
  documentIdBytesMax: 511,
  /** Distinct flattened field names of one index: field numbers are 16 bits wide. */
  fieldsPerIndexMax: 65_535,
  /** Highest indexed word position of an attribute; later words are not indexed. */
  fieldPositionMax: 65_535,
  /** Longer words are not indexed. */
  wordBytesMax: 250,
  /** Bytes of a chunk that are indexed (`substringAttributes`); the rest is not found by its parts. */
  chunkBytesMax: 240,
  /** Distinct chunks that a part of one expands to; a search reads this many in 10 ms. */
  chunksPerPartMax: 10_000,
  /** Longer strings are not facet values and are neither filterable nor sortable. */
  facetValueBytesMax: 468,
  /**
   * Entries of one list of names in a request, such as `attributesToRetrieve` or `facets`, and
   * entries with `*` among them: each pattern is compared with every field of the index.
   */
  namesPerListMax: 10_000,
  patternsPerListMax: 100,
  /** Documents shown of each group of a search with `groupBy`. */
  groupSizeDefault: 3,
  groupSizeMax: 100,
  /**
   * Different values, and pairs of a facet value with one of them, that an instance sends of one index
   * for groups over several instances: this many are about 10 MB and a tenth of a second to read.
   */
  sharedGroupsMax: 100_000,
  sharedFacetGroupsMax: 500_000,
  /**
   * Hits of all queries of one index in a federated search that needs all of them: with a distinct
   * field, with groups and with a sort by distance. 150 bytes each.
   */
  federatedHitsMax: 1_000_000,
  /** First documents of an answer that `diversity` reorders. */
  diversityDefault: 50,
  diversityMax: 200,
  /** First documents of an answer that `rerank` reorders. */
  rerankDefault: 50,
  rerankMax: 200,
  /** Queries and hits of one comparison of two indexes. */
  comparedQueriesMax: 1000,
  comparedHitsMax: 100,
  /** Aggregations of a request on both levels. */
  aggregationsMax: 50,
  aggregation: {
    /** Buckets of all aggregations of a request together, empty ones included. */
    bucketsMax: 10_000,
    percentsMax: 100,
    rangesMax: 100,
    termsMax: 1000,
  },
  /** Document ids in one request: a million block the front for half a second. */
  documentIdsPerRequestMax: 200_000,
  /**
   * Characters of `highlightPreTag`, `highlightPostTag` and `cropMarker`: a response may repeat
   * each at every word.
   */
  markLengthMax: 1000,
  /** Terms of a query that are used; a phrase counts as one term. */
  queryTermsMax: 10,
  /**
   * The same limit for matching strategies in which one word suffices: sentences are longer than
   * typed queries.
   */
  sentenceTermsMax: 64,
  /** Tokens of a query that are analyzed, separators included. */
  queryTokensExaminedMax: 1000,
  /** UTF-16 units of a query that are analyzed: four times the length of 1,000 long words. */
  queryLengthExaminedMax: 65_536,
  /** Index words that a query word expands to with one typo, and with two typos. */
  oneTypoDerivationsMax: 150,
  twoTypoDerivationsMax: 50,
  /** For a key of one word: number of synonyms used, and of words in all of them. */
  synonymPhrasesPerWordMax: 50,
  synonymWordsPerWordMax: 100,
  embeddersPerIndexMax: 256,
  rerankersPerIndexMax: 16,
  /** Entries of each word list in the settings: stop words, dictionary, words without typos. */
  settingWordsMax: 100_000,
  /** Entries of each separator list in the settings. */
  settingSeparatorsMax: 10_000,
  /** Keys of `synonyms`, and values of all keys. */
  synonymKeysMax: 50_000,
  synonymValuesMax: 200_000,
  /** Entries of each attribute list in the settings, patterns included. */
  settingAttributesMax: 5000,
  /** Entries with `*` among them: each pattern is compared with each field. */
  settingPatternsMax: 1000,
  /** UTF-16 units of a word or name in the settings. */
  settingTextLengthMax: 5000,
  /**
   * Foreign indexes of one index: a search may open each in addition to its own index, and a thread
   * keeps 32 open.
   */
  foreignKeysPerIndexMax: 16,
  /** Documents of a foreign index that one `_foreign` filter selects. */
  foreignDocumentsMax: 1000,
  /**
   * Different `_foreign` conditions of a request to several instances: each is a request to all of
   * them. Bytes of the ids that replace the conditions, in all queries together.
   */
  networkForeignConditionsMax: 16,
  networkForeignIdBytesMax: 4 << 20,
  /** UTF-16 units of a filter with such conditions, which the front parses. */
  networkForeignFilterLengthMax: 100_000,
  /** Foreign documents that one response embeds in its hits. */
  foreignBytesPerAnswerMax: 16 << 20,
  /** Vectors of one embedder for one document; further vectors are dropped (api.md 12.6). */
  vectorsPerDocumentMax: 256,
  /**
   * Documents found by vector below a score threshold. All of their vectors are compared: this many
   * of a million vectors take a tenth of a second of CPU time.
   */
  semanticHitsMax: 10_000,
  /**
   * Dimensions: above those of any known model, and small enough to bound the memory of one vector.
   */
  vectorDimensionsMax: 65_536,
  /**
   * Nesting of arrays and objects in a JSON body or a document: bounds the stack of recursive
   * functions.
   */
  jsonDepthMax: 128,
  /** Document payloads up to this size are stored in the task record instead of a spool file. */
  inlinePayloadBytesMax: 65_536,
  /** Bodies of routes without documents: the serving thread parses the complete body. */
  jsonBodyBytesMax: 10 << 20,
  /** Members, arrays and objects of a JSON body: this many take a tenth of a second to parse. */
  jsonStructuresMax: 120_000,
  /** Strings of a JSON body, keys included: this many take a tenth of a second to parse. */
  jsonStringsMax: 300_000,
  /** Values of a JSON body, keys included. */
  jsonValuesMax: 1_200_000,
  /** Request line and headers together; generous because GET searches have filters in the URL. */
  requestHeadBytesMax: 65_536,
  /** The maximum of uWebSockets.js. */
  requestHeadersMax: 98,
  /** Shorter responses are not compressed: compression costs more time than the transfer saves. */
  compressedAnswerBytesMin: 1024,
  /**
   * Longer responses count against the memory of responses that clients have not read yet. Shorter
   * ones fit into the buffers that the system has for a connection.
   */
  countedAnswerBytesMin: 65_536,
  /** `searchCutoffMs` when the setting is null. */
  searchCutoffMsDefault: 1500,
  /** Default page size of hits, documents, indexes, keys, tasks and batches. */
  pageItemsDefault: 20,
  /** Webhooks created by requests, and headers of one webhook. */
  webhooksMax: 20,
  webhookHeadersMax: 200,
  /** Bytes of all header names and values: above the limit of common servers. */
  webhookHeaderBytesMax: 65_536,
  webhookUrlBytesMax: 8192,
  /** Characters of a signing secret: a secret longer than the digest adds no security. */
  webhookSecretLengthMin: 16,
  webhookSecretLengthMax: 256,
  /** Beginnings of ids whose documents one fingerprint request lists, and those documents. */
  fingerprintPrefixesMax: 256,
  fingerprintDocumentsMax: 50_000,
  /** Each change of one sends all of them to every front. */
  aliasesMax: 10_000,
  /** Active search rules; every search evaluates all of them. */
  activeRulesMax: 1000,
  /** Pins of one search rule, and of one search. */
  ruleActionsMax: 100,
  /** UTF-16 units of a text in a search rule. */
  ruleTextLengthMax: 2000,
  /** Values in the filter of a search rule, for one attribute and for all. */
  ruleFilterValuesMax: 100,
  /** Seconds in the `Retry-After` header of a 503 response. */
  retryAfterSeconds: 10,
} as const;
