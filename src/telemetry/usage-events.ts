/**
 * The usage events: which routes each counts, and its figures by the names under which they are
 * sent. No figure holds text of users: names come from lists that are part of the server.
 */
import { isObject, objectOf } from '../core/json.ts';
import { MemoMap } from '../core/memo-map.ts';
import { snakeCase } from '../core/snake-case.ts';
import { normalizeLocale } from '../model/locales.ts';
import { BUILT_IN_RANKING_RULES } from '../model/settings.ts';
import { type Measure, measureOf } from './measures.ts';

const OTHER = 'other';

const PRODUCTS = `curl Wget Mozilla node undici axios got python-requests python-httpx aiohttp
 Go-http-client GuzzleHttp okhttp Apache-HttpClient Java Dart Ruby Faraday reqwest k6 PostmanRuntime
 insomnia gannet`.split(/\s+/);

/** Official clients and integrations, which send `<brand> <name> (v1.2.3)`. */
const OFFICIAL =
  `JavaScript PHP Python Ruby Go Rust Java Dart DotNET Swift Kotlin Strapi Symfony Laravel
 Rails instant-meilisearch docs-searchbar.js docs-scraper Firebase Gatsby VuePress`.split(/\s+/);

const CLIENT = /^(Meilisearch )?([a-z][\w.-]*)(?:(?: \(|\/)v?(\d{1,4}(?:\.\d{1,4})?))?/i;

/** Product, and the first two numbers of its version. */
function clientOf(header: string): string {
  const [, brand, product = '', version = ''] = CLIENT.exec(header) ?? [];
  const names = brand === undefined ? PRODUCTS : OFFICIAL;
  const name = names.find((known) => known.toLowerCase() === product.toLowerCase());
  return name === undefined ? OTHER : `${brand ?? ''}${name} ${version}`.trim();
}
/** Clients send few different headers. */
const clients = new MemoMap<string, string>(256);

const MEDIA_TYPES = `application/json application/x-ndjson text/csv text/plain
 application/octet-stream application/x-www-form-urlencoded multipart/form-data`.split(/\s+/);

/** @param header value of `Content-Type` */
function mediaTypeOf(header: string): string {
  const [mediaType = ''] = header.split(';');
  const name = mediaType.trim().toLowerCase();
  return MEDIA_TYPES.includes(name) ? name : OTHER;
}

const BUILT_INS: readonly unknown[] = BUILT_IN_RANKING_RULES;

/** Items of a list and characters of a text that are read at most. */
const ITEMS_MAX = 64;
const TEXT_MAX = 4096;

const isSet = (value: unknown): boolean => value !== undefined && value !== null;
const startOf = (value: unknown) => (typeof value === 'string' ? value.slice(0, TEXT_MAX) : '');
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const firstOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value.slice(0, ITEMS_MAX) : [value];
/** A member of each element of a list or each member of an object, where it is set and not false. */
const ofEach = (value: unknown, name: string): unknown[] =>
  Object.values(Object(value))
    .map((each) => objectOf(each)[name])
    .filter((member) => isSet(member) && member !== false);

function syntaxOf(filter: unknown): string | null {
  if (!Array.isArray(filter)) return typeof filter === 'string' ? 'string' : null;
  const kinds = new Set(firstOf(filter).map(Array.isArray));
  if (kinds.size > 1) return 'mixed';
  return kinds.has(true) ? 'nested array' : 'array';
}

/** What a figure reads of a value; the table gives the argument. */
type Read = (value: unknown, argument: string) => unknown;

const READS: Readonly<Record<string, Read>> = {
  itself: (value) => value,
  set: () => 'set',
  is: (value, name) => value === name,
  includes: (list, item) => listOf(list).includes(item),
  // Searches
  negative: (q) => /(^|\s)-\S/.test(startOf(q)),
  terms: (q) => startOf(q).trim().split(/\s+/),
  syntax: syntaxOf,
  mentions: (filter, text) =>
    firstOf(filter).some((part) =>
      firstOf(part).some((condition) => startOf(condition).includes(text)),
    ),
  navigation: (asked) =>
    isSet(objectOf(asked)['page'] ?? objectOf(asked)['hitsPerPage']) ? 'exhaustive' : 'estimated',
  languages: (locales) => listOf(locales).map((locale) => normalizeLocale(startOf(locale))),
  otherThan: (asked, names) =>
    Object.keys(objectOf(asked)).some((name) => !names.split(',').includes(name)),
  each: ofEach,
  distinct: (list, name) => [...new Set(ofEach(list, name))],
  single: (list, name) => new Set(ofEach(list, name)).size === 1,
  remotes: (queries) => [...new Set(ofEach(ofEach(queries, 'federationOptions'), 'remote'))],
  // Settings
  position: (rules, rule) => {
    const position = listOf(rules).indexOf(rule);
    return position < 0 ? null : position;
  },
  builtIn: (rules) =>
    listOf(rules)
      .filter((rule) => BUILT_INS.includes(rule))
      .join(', '),
  patterns: (attributes) =>
    listOf(attributes).some((item) => isObject(item) || String(item).includes('*')),
  largest: (list, name) => Math.max(0, ...ofEach(list, name).map(Number)),
  // Headers
  client: (header) => (header === '' ? null : clients.getOrCompute(startOf(header), clientOf)),
  mediaType: (header) => (header === '' ? null : mediaTypeOf(startOf(header))),
};

/** Leads to a value of a request. */
interface Reading {
  /** Names of members from the object with `request`, `outcome` and `asked`. */
  readonly path: readonly string[];
  readonly read: Read;
  /** Second argument of `read`. */
  readonly argument: string;
}

export interface Figure extends Measure {
  readonly event: string;
  /** Matches the ids of the routes that it counts. */
  readonly routes: RegExp;
  readonly name: string;
  readonly readings: readonly Reading[];
}

const REQUESTS = `requests.99th_response_time percentile99 outcome.succeededMs
  requests.total_* total outcome.received outcome.succeeded outcome.failed outcome.degraded`;

const PAGINATION = `vector.retrieve_vectors ever retrieveVectors
  pagination.max_limit maximum hitsPerPage limit
  pagination.max_offset maximum offset`;

const SYNTAX = `filter.most_used_syntax mostUsed filter:syntax`;

const PRIMARY_KEY = `total_received total outcome.received
  primary_key mostUsed primaryKey:set request.query.primaryKey:set`;

/**
 * By event: a pattern of the ids of the routes that it counts, and a line for each figure: name,
 * measure, and the paths of its values, each with `:read:argument` if it is not the value itself.
 * `*` in a name makes a figure of each path, of which it is the last name in snake case.
 */
const TABLE: Readonly<Record<string, string>> = {
  requests: `.
    total_received total outcome.received
    user_agent seen request.client:client
    payload_type seen request.contentType:mediaType`,
  search: `^search[.]
    ${REQUESTS}
    ${SYNTAX}
    ${PAGINATION}
    requests.total_used_negative_operator total q:negative
    sort.with_geoPoint ever sort:mentions:_geoPoint
    sort.avg_criteria_number average sort
    filter.with_geoRadius ever filter:mentions:_geoRadius
    filter.with_geoBoundingBox ever filter:mentions:_geoBoundingBox
    filter.on_vectors ever filter:mentions:_vectors
    q.max_terms_number maximum q:terms
    pagination.most_used_navigation mostUsed asked:navigation
    formatting.max_* maximum attributesToRetrieve attributesToHighlight attributesToCrop
    formatting.* ever highlightPreTag highlightPostTag cropLength cropMarker showMatchesPosition
    facets.avg_facets_number average facets
    scoring.* ever showRankingScore showRankingScoreDetails rankingScoreThreshold
    attributes_to_search_on.total_number_of_uses total attributesToSearchOn:set
    matching_strategy.most_used_strategy mostUsed matchingStrategy
    distinct ever distinct
    locales seen locales:languages
    vector.max_vector_size maximum vector
    hybrid.enabled ever hybrid hybridEmbedder
    hybrid.semantic_ratio ever hybrid.semanticRatio hybridSemanticRatio
    hybrid.total_media total media:set`,
  multiSearch: `^multiSearch[.]
    ${REQUESTS}
    searches.total_search_count total queries
    searches.avg_search_count average queries
    indexes.avg_distinct_index_count average queries:distinct:indexUid
    indexes.total_distinct_index_count total queries:distinct:indexUid
    indexes.total_single_index total queries:single:indexUid
    federation.use_federation ever federation
    remotes.total_distinct_remote_count distinct queries:remotes
    remotes.avg_distinct_remote_count average queries:remotes
    scoring.show_ranking_score ever queries:each:showRankingScore`,
  facetSearch: `^facetSearch[.]
    ${REQUESTS}
    facets.total_distinct_facet_count distinct facetName
    facets.additional_search_parameters_provided ever asked:otherThan:facetName,facetQuery`,
  similar: `^similar[.]
    ${REQUESTS}
    ${SYNTAX}
    ${PAGINATION}`,
  documentsWritten: `^documents[.](replace|update)$
    ${PRIMARY_KEY}
    index_creation ever outcome.createsIndex`,
  documentsDeleted: `^documents[.]delete
    per_document_id ever request.routeId:is:documents.deleteOne
    per_batch ever request.routeId:is:documents.deleteBatch
    per_filter ever request.routeId:is:documents.deleteByFilter
    clear_all ever request.routeId:is:documents.deleteAll`,
  documentsRead: `^documents[.](get|list|fetch)$
    ${PAGINATION}
    per_document_id ever request.routeId:is:documents.get
    per_filter ever filter
    with_vector_filter ever filter:mentions:_vectors`,
  indexesCreated: `^indexes[.]create$
    ${PRIMARY_KEY}`,
  indexesSwapped: `^indexes[.]swap$
    swap_operation_number total request.body`,
  tasksRead: `^tasks[.](get|list)$
    per_task_uid ever request.routeId:is:tasks.get
    filtered_by_uid ever uids
    filtered_by_index_uid ever indexUids
    filtered_by_type ever types
    filtered_by_status ever statuses
    filtered_by_* ever canceledBy beforeEnqueuedAt afterEnqueuedAt beforeStartedAt afterStartedAt
    filtered_by_* ever beforeFinishedAt afterFinishedAt`,
  statsRead: `^stats[.](get|index)$
    per_index_uid ever request.routeId:is:stats.index`,
  settingsChanged: `^settings[.](\\w+[.])?update$
    total_received total outcome.received
    ranking_rules.words_position mostUsed rankingRules:position:words
    ranking_rules.typo_position mostUsed rankingRules:position:typo
    ranking_rules.proximity_position mostUsed rankingRules:position:proximity
    ranking_rules.attribute_position mostUsed rankingRules:position:attribute
    ranking_rules.attribute_rank_position mostUsed rankingRules:position:attributeRank
    ranking_rules.attribute_position_position mostUsed rankingRules:position:wordPosition
    ranking_rules.sort_position mostUsed rankingRules:position:sort
    ranking_rules.exactness_position mostUsed rankingRules:position:exactness
    ranking_rules.values mostUsed rankingRules:builtIn
    *.total maximum sortableAttributes filterableAttributes searchableAttributes displayedAttributes
    *.total maximum stopWords separatorTokens nonSeparatorTokens dictionary synonyms embedders
    *.has_geo ever sortableAttributes:includes:_geo filterableAttributes:includes:_geo
    *.with_wildcard ever searchableAttributes:includes:* displayedAttributes:includes:*
    filterable_attributes.has_patterns ever filterableAttributes:patterns
    typo_tolerance.* ever typoTolerance.disableOnAttributes typoTolerance.disableOnWords
    typo_tolerance.enabled mostUsed typoTolerance.enabled
    typo_tolerance.min_word_size_for_typos.one_typo mostUsed typoTolerance.minWordSizeForTypos.oneTypo
    typo_tolerance.min_word_size_for_typos.two_typos mostUsed typoTolerance.minWordSizeForTypos.twoTypos
    pagination.* mostUsed pagination.maxTotalHits
    faceting.* mostUsed faceting.maxValuesPerFacet
    faceting.sort_facet_values_by_star_count ever faceting.sortFacetValuesBy.*:is:count
    faceting.sort_facet_values_by_total maximum faceting.sortFacetValuesBy
    *.set ever distinctAttribute proximityPrecision facetSearch:set prefixSearch
    *.value mostUsed proximityPrecision facetSearch prefixSearch
    embedders.document_template_used ever embedders:each:documentTemplate
    embedders.document_template_max_bytes maximum embedders:largest:documentTemplateMaxBytes
    embedders.binary_quantization_used ever embedders:each:binaryQuantized
    embedders.sources seen embedders:each:source`,
  webhooksChanged: `^webhooks[.](create|update)$
    webhooks_created total request.routeId:is:webhooks.create
    webhooks.updated total request.routeId:is:webhooks.update`,
  export: `^export$
    export.total_received total outcome.received
    export.has_api_key ever apiKey
    export.avg_index_patterns average indexes
    export.avg_patterns_with_filter average indexes:each:filter
    export.avg_payload_size average payloadSize`,
};

function readingOf(text: string): Reading {
  const [names = '', read = 'itself', argument = ''] = text.split(':');
  const path = /^(request|outcome|asked)\b/.test(names) ? names : `asked.${names}`;
  return { path: path.split('.'), read: READS[read] as Read, argument };
}

export const EVENTS = Object.keys(TABLE);

export const FIGURES: readonly Figure[] = Object.entries(TABLE).flatMap(([event, text]) => {
  const [pattern = '', ...lines] = text.split('\n');
  const routes = new RegExp(pattern);
  return lines.flatMap((line) => {
    const [names = '', measure = '', ...paths] = line.trim().split(/ +/);
    const own = { ...measureOf(measure), event, routes };
    const readings = paths.map(readingOf);
    if (!names.includes('*')) return [{ ...own, name: names, readings }];
    return readings.map((reading) => {
      const name = names.replace('*', snakeCase(reading.path.at(-1) ?? ''));
      return { ...own, name, readings: [reading] };
    });
  });
});
