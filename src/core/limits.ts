/**
 * Bounds that the contract names or several parts share; units are in the names, the reason stands
 * beside the value. Others stand where they are enforced.
 */
export const limits = {
  /** ASCII letters, digits, `_` and `-`. */
  indexUidBytesMax: 400,
  documentIdBytesMax: 511,
  /** Distinct flattened field names of one index: field numbers are 16 bits wide. */
  fieldsPerIndexMax: 65_535,
  /** Highest position of a word in its attribute; later words are not indexed. */
  fieldPositionMax: 65_535,
  /** Longer words are not indexed. */
  wordBytesMax: 250,
  /** Longer strings are neither facets nor filterable nor sortable. */
  facetValueBytesMax: 468,
  /**
   * Names of one list of a request, such as `attributesToRetrieve` or `facets`, and those of them
   * with a `*`, each of which is compared with all fields of the index.
   */
  namesPerListMax: 10_000,
  patternsPerListMax: 100,
  /**
   * Characters of `highlightPreTag`, `highlightPostTag` and `cropMarker`, each of which may stand
   * around every word of an answer.
   */
  markLengthMax: 1000,
  /** Located terms of a query that are kept; a phrase counts as one. */
  queryTermsMax: 10,
  /** The same where any word is enough: sentences are longer than what people type. */
  sentenceTermsMax: 64,
  /** Tokens of a query that are looked at, separators included. */
  queryTokensExaminedMax: 1000,
  /** UTF-16 units of a query that are looked at: four times what 1,000 long words take. */
  queryLengthExaminedMax: 65_536,
  /** Words of the index that stand for one query word with one typo, and with two. */
  oneTypoDerivationsMax: 150,
  twoTypoDerivationsMax: 50,
  /** For a single-word key: synonyms kept, and the words they may have in total. */
  synonymPhrasesPerWordMax: 50,
  synonymWordsPerWordMax: 100,
  embeddersPerIndexMax: 256,
  /** Of a list of words in the settings: stop words, dictionary, words without typos. */
  settingWordsMax: 100_000,
  /** Of each list of separators in the settings. */
  settingSeparatorsMax: 10_000,
  /** Keys of `synonyms`, and its values in total. */
  synonymKeysMax: 50_000,
  synonymValuesMax: 200_000,
  /** Of each list of attributes in the settings, patterns included. */
  settingAttributesMax: 5000,
  /** Of these, names with `*`: each is compared with each field. */
  settingPatternsMax: 1000,
  /** UTF-16 units of a word or name in the settings. */
  settingTextLengthMax: 5000,
  /** Each may be an index that a search opens beside its own; a thread keeps 32 open. */
  foreignKeysPerIndexMax: 16,
  /** Documents of another index that one `_foreign` selects. */
  foreignDocumentsMax: 1000,
  /** Of the documents of other indexes that one answer shows in place of their ids. */
  foreignBytesPerAnswerMax: 16 << 20,
  /** Of one embedder; further ones are dropped (api.md 12.6). */
  vectorsPerDocumentMax: 256,
  /**
   * Documents that meaning finds under a threshold: their vectors are all compared, a tenth of a second
   * of processor time for so many of a million vectors.
   */
  semanticHitsMax: 10_000,
  /** More than any model gives, few enough to bound the memory of one vector. */
  vectorDimensionsMax: 65_536,
  /**
   * Levels of arrays and objects in a JSON body or a document: bounds the stack of whatever walks
   * the value.
   */
  jsonDepthMax: 128,
  /**
   * Document payloads up to this size travel and rest inside the task record instead of a spool
   * file.
   */
  inlinePayloadBytesMax: 65_536,
  /** Bodies of routes that take no documents: these are parsed whole in the thread that serves. */
  jsonBodyBytesMax: 10 << 20,
  /** Members, arrays and objects of a JSON body: so many take a tenth of a second to parse. */
  jsonStructuresMax: 120_000,
  /** Values of a JSON body, keys included. */
  jsonValuesMax: 1_200_000,
  /** Request line and headers together; generous because GET searches carry filters in the URL. */
  requestHeadBytesMax: 65_536,
  /** As many as uWebSockets.js takes. */
  requestHeadersMax: 98,
  /**
   * Shorter answers are sent plain to whoever accepts that: compressing them costs more than it
   * saves.
   */
  compressedAnswerBytesMin: 1024,
  /** `searchCutoffMs` when the setting is null. */
  searchCutoffMsDefault: 1500,
  /**
   * Hits, documents, indexes, keys, tasks or batches of a page when the request does not say how
   * many.
   */
  pageItemsDefault: 20,
  /** Webhooks made by requests, and headers of one. */
  webhooksMax: 20,
  webhookHeadersMax: 200,
  /** Names and values together: more than servers commonly take. */
  webhookHeaderBytesMax: 65_536,
  webhookUrlBytesMax: 8192,
  /** Of what deliveries are signed with: a longer secret than the digest adds nothing. */
  webhookSecretLengthMin: 16,
  webhookSecretLengthMax: 256,
  /** Search rules that act; all of them are looked at by each search. */
  activeRulesMax: 1000,
  /** Pins of one search rule, and of one search. */
  ruleActionsMax: 100,
  /** UTF-16 units of a text in a search rule. */
  ruleTextLengthMax: 2000,
  /** Values of a filter that a search rule asks for, of one attribute and of all. */
  ruleFilterValuesMax: 100,
  /** What a 503 answer tells the client to wait. */
  retryAfterSeconds: 10,
} as const;
