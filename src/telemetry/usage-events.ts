/**
 * The usage events: which routes each counts, and its figures by the names under which they are
 * sent. No figure holds text of users: names come from lists that are part of the server.
 */
import { isObject, type Json, objectOf } from '../core/json.ts';
import { snakeCase } from '../core/snake-case.ts';
import { normalizeLocale } from '../model/locales.ts';
import { BUILT_IN_RANKING_RULES } from '../model/settings.ts';
import { MEASURES, type Measure } from './measures.ts';

/** Clients and media types that are sent by name. */
const KNOWN = new Map(
  `curl Wget Mozilla node undici axios got python-requests python-httpx aiohttp Go-http-client
   GuzzleHttp okhttp Apache-HttpClient Faraday reqwest k6 PostmanRuntime insomnia gannet JavaScript
   PHP Python Ruby Go Rust Java Dart DotNET Swift Kotlin Strapi Symfony Laravel Rails Firebase Gatsby
   instant-meilisearch docs-searchbar.js docs-scraper VuePress application/json application/x-ndjson
   text/csv text/plain application/octet-stream application/x-www-form-urlencoded multipart/form-data`
    .split(/\s+/)
    .map((name) => [name.toLowerCase(), name]),
);
const OTHER = 'other';
const BUILT_INS: readonly unknown[] = BUILT_IN_RANKING_RULES;

/** Name and version; official clients send `<brand> <name> (v1.2.3)`. */
const CLIENT = /^(Meilisearch )?([a-z][\w.-]*)(?:(?: \(|\/)v?(\d{1,4}(?:\.\d{1,4})?))?/i;

/** Product, and the first two numbers of its version. */
function clientOf(header: string): string {
  const [, brand = '', product = '', version = ''] = CLIENT.exec(header) ?? [];
  const name = KNOWN.get(product.toLowerCase());
  return name === undefined ? OTHER : `${brand}${name} ${version}`.trim();
}

/** Items of a list and characters of a text that are read at most. */
const ITEMS_MAX = 64;
const TEXT_MAX = 4096;

const isSet = (value: unknown): boolean => value !== undefined && value !== null;
const startOf = (value: unknown) => (typeof value === 'string' ? value.slice(0, TEXT_MAX) : '');
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const firstOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value.slice(0, ITEMS_MAX) : [value];

function syntaxOf(filter: unknown): string | null {
  if (!Array.isArray(filter)) return typeof filter === 'string' ? 'string' : null;
  const kinds = new Set(firstOf(filter).map(Array.isArray));
  if (kinds.size > 1) return 'mixed';
  return kinds.has(true) ? 'nested array' : 'array';
}

/** What a figure reads of a value that is set; the table gives the argument. */
type Read = (value: unknown, argument: string) => unknown;

const READS: Readonly<Record<string, Read>> = {
  itself: (value) => value,
  set: () => 'set',
  is: (value, name) => value === name,
  distinct: (list) => [...new Set(listOf(list))],
  single: (list) => new Set(listOf(list)).size === 1,
  largest: (list) => Math.max(0, ...listOf(list).map(Number)),
  position: (list, item) => (listOf(list).includes(item) ? listOf(list).indexOf(item) : null),
  builtIn: (rules) =>
    listOf(rules)
      .filter((rule) => BUILT_INS.includes(rule))
      .join(', '),
  patterns: (list) => listOf(list).some((item) => isObject(item) || String(item).includes('*')),
  languages: (locales) => listOf(locales).map((locale) => normalizeLocale(startOf(locale))),
  negative: (q) => /(^|\s)-\S/.test(startOf(q)),
  terms: (q) => startOf(q).trim().split(/\s+/),
  syntax: syntaxOf,
  mentions: (filter, text) =>
    firstOf(filter)
      .flatMap(firstOf)
      .some((condition) => startOf(condition).includes(text)),
  navigation: (asked) =>
    isSet(objectOf(asked)['page'] ?? objectOf(asked)['hitsPerPage']) ? 'exhaustive' : 'estimated',
  otherThan: (asked, names) =>
    Object.keys(objectOf(asked)).some((name) => !names.split(',').includes(name)),
  client: (header) => (header === '' ? null : clientOf(startOf(header))),
  mediaType: (header) =>
    header === ''
      ? null
      : (KNOWN.get(/[^\s;]*/.exec(startOf(header).toLowerCase())?.[0] ?? '') ?? OTHER),
};

const REQUESTS = `percentile99 requests.99th_response_time=outcome.succeededMs
  total requests.total_received=outcome.received requests.total_succeeded=outcome.succeeded
  total requests.total_failed=outcome.failed requests.total_degraded=request.isDegraded`;

const PAGINATION = `ever vector.retrieve_vectors=retrieveVectors
  maximum pagination.max_limit=hitsPerPage|limit pagination.max_offset=offset`;

const PRIMARY_KEY = `total total_received=outcome.received
  mostUsed primary_key=primaryKey:set|request.query.primaryKey:set`;

const POSITIONS = BUILT_IN_RANKING_RULES.map((rule) => {
  const name = rule === 'wordPosition' ? 'attribute_position' : snakeCase(rule);
  return `ranking_rules.${name}_position=rankingRules:position:${rule}`;
});

/**
 * By event: a pattern of the ids of the routes that it counts, and lines of a measure and figures of
 * it, each `name=path|path`. A path has `:read:argument` if a figure reads something of its value;
 * `[]` in it stands for each element of a list or member of an object. A `*` in a name makes a figure
 * of each path, which it stands for in snake case.
 */
const TABLE: Readonly<Record<string, string>> = {
  requests: `.
    total total_received=outcome.received
    seen user_agent=request.client:client payload_type=request.contentType:mediaType`,
  search: `^search[.]
    ${REQUESTS}
    ${PAGINATION}
    total requests.total_used_negative_operator=q:negative hybrid.total_media=media:set
    total attributes_to_search_on.total_number_of_uses=attributesToSearchOn:set
    average sort.avg_criteria_number=sort facets.avg_facets_number=facets
    maximum q.max_terms_number=q:terms vector.max_vector_size=vector
    maximum formatting.max_*=attributesToRetrieve|attributesToHighlight|attributesToCrop
    mostUsed filter.most_used_syntax=filter:syntax matching_strategy.most_used_strategy=matchingStrategy
    mostUsed pagination.most_used_navigation=asked:navigation
    seen locales=locales:languages
    ever sort.with_geoPoint=sort:mentions:_geoPoint filter.with_geoRadius=filter:mentions:_geoRadius
    ever filter.with_geoBoundingBox=filter:mentions:_geoBoundingBox filter.on_vectors=filter:mentions:_vectors
    ever formatting.*=highlightPreTag|highlightPostTag|cropLength|cropMarker|showMatchesPosition
    ever scoring.*=showRankingScore|showRankingScoreDetails|rankingScoreThreshold
    ever distinct=distinct hybrid.enabled=hybrid|hybridEmbedder
    ever hybrid.semantic_ratio=hybrid.semanticRatio|hybridSemanticRatio`,
  multiSearch: `^multiSearch[.]
    ${REQUESTS}
    total searches.total_search_count=queries indexes.total_single_index=queries.[].indexUid:single
    total indexes.total_distinct_index_count=queries.[].indexUid:distinct
    average searches.avg_search_count=queries
    average indexes.avg_distinct_index_count=queries.[].indexUid:distinct
    average remotes.avg_distinct_remote_count=queries.[].federationOptions.remote:distinct
    distinct remotes.total_distinct_remote_count=queries.[].federationOptions.remote
    ever federation.use_federation=federation scoring.show_ranking_score=queries.[].showRankingScore`,
  facetSearch: `^facetSearch[.]
    ${REQUESTS}
    distinct facets.total_distinct_facet_count=facetName
    ever facets.additional_search_parameters_provided=asked:otherThan:facetName,facetQuery`,
  similar: `^similar[.]
    ${REQUESTS}
    ${PAGINATION}
    mostUsed filter.most_used_syntax=filter:syntax`,
  documentsWritten: `^documents[.](replace|update)$
    ${PRIMARY_KEY}
    ever index_creation=outcome.createsIndex`,
  documentsDeleted: `^documents[.]delete
    ever per_document_id=request.routeId:is:documents.deleteOne
    ever per_batch=request.routeId:is:documents.deleteBatch
    ever per_filter=request.routeId:is:documents.deleteByFilter
    ever clear_all=request.routeId:is:documents.deleteAll`,
  documentsRead: `^documents[.](get|list|fetch)$
    ${PAGINATION}
    ever per_document_id=request.routeId:is:documents.get per_filter=filter
    ever with_vector_filter=filter:mentions:_vectors`,
  indexesCreated: `^indexes[.]create$
    ${PRIMARY_KEY}`,
  indexesSwapped: `^indexes[.]swap$
    total swap_operation_number=request.body`,
  tasksRead: `^tasks[.](get|list)$
    ever per_task_uid=request.routeId:is:tasks.get filtered_by_uid=uids filtered_by_type=types
    ever filtered_by_index_uid=indexUids filtered_by_status=statuses
    ever filtered_by_*=canceledBy|beforeEnqueuedAt|afterEnqueuedAt|beforeStartedAt|afterStartedAt
    ever filtered_by_*=beforeFinishedAt|afterFinishedAt`,
  statsRead: `^stats[.](get|index)$
    ever per_index_uid=request.routeId:is:stats.index`,
  settingsChanged: `^settings[.](\\w+[.])?update$
    total total_received=outcome.received
    mostUsed ranking_rules.values=rankingRules:builtIn ${POSITIONS.join(' ')}
    mostUsed *.value=proximityPrecision|facetSearch|prefixSearch
    mostUsed *=typoTolerance.enabled|pagination.maxTotalHits|faceting.maxValuesPerFacet
    mostUsed *=typoTolerance.minWordSizeForTypos.oneTypo|typoTolerance.minWordSizeForTypos.twoTypos
    maximum *.total=sortableAttributes|filterableAttributes|searchableAttributes|displayedAttributes
    maximum *.total=stopWords|separatorTokens|nonSeparatorTokens|dictionary|synonyms|embedders
    maximum faceting.sort_facet_values_by_total=faceting.sortFacetValuesBy
    maximum embedders.document_template_max_bytes=embedders.[].documentTemplateMaxBytes:largest
    ever *.set=distinctAttribute|proximityPrecision|facetSearch:set|prefixSearch
    ever *=typoTolerance.disableOnAttributes|typoTolerance.disableOnWords
    ever *.has_geo=sortableAttributes:position:_geo|filterableAttributes:position:_geo
    ever *.with_wildcard=searchableAttributes:position:*|displayedAttributes:position:*
    ever filterable_attributes.has_patterns=filterableAttributes:patterns
    ever faceting.sort_facet_values_by_star_count=faceting.sortFacetValuesBy.*:is:count
    ever embedders.document_template_used=embedders.[].documentTemplate
    ever embedders.binary_quantization_used=embedders.[].binaryQuantized
    seen embedders.sources=embedders.[].source`,
  webhooksChanged: `^webhooks[.](create|update)$
    total webhooks_created=request.routeId:is:webhooks.create
    total webhooks.updated=request.routeId:is:webhooks.update`,
  export: `^export$
    total export.total_received=outcome.received
    average export.avg_index_patterns=indexes export.avg_patterns_with_filter=indexes.[].filter
    average export.avg_payload_size=payloadSize
    ever export.has_api_key=apiKey`,
};

/** The value at the end of a path; of a list for `[]`, only values that are set and not false. */
function valueAt(source: unknown, path: readonly string[], from = 0): unknown {
  let value = source;
  for (let i = from; i < path.length && isSet(value); i++) {
    if (path[i] === '[]')
      return Object.values(Object(value))
        .map((each) => valueAt(each, path, i + 1))
        .filter((each) => isSet(each) && each !== false);
    value = (value as Json)[path[i] as string];
  }
  return value;
}

function readOf(text: string): Figure['read'] {
  const [names = '', name = 'itself', argument = ''] = text.split(':');
  const path = (/^(request|outcome|asked)\b/.test(names) ? names : `asked.${names}`).split('.');
  const read = READS[name] as Read;
  return (source) => {
    const value = valueAt(source, path);
    return isSet(value) ? read(value, argument) : null;
  };
}

/** One of several figures of an event may have the same name: their values add up. */
export interface Figure extends Measure {
  readonly name: string;
  /** Value of an object with `request`, `outcome` and `asked`; null if there is none. */
  readonly read: (source: Json) => unknown;
}

/** Figures of a line of the table. */
function figuresOf(line: string): Figure[] {
  const [measure = '', ...figures] = line.trim().split(' ');
  return figures.flatMap((figure) => {
    const [name = '', ...paths] = figure.split(/[=|]/);
    return paths.map((path) => ({
      ...(MEASURES[measure] as Measure),
      name: name.replace('*', snakeCase(path.replace(/:.*/, ''))),
      read: readOf(path),
    }));
  });
}

export const EVENTS = Object.entries(TABLE).map(([event, text]) => {
  const [pattern = '', ...lines] = text.split('\n');
  return { event, routes: new RegExp(pattern), figures: lines.flatMap(figuresOf) };
});
