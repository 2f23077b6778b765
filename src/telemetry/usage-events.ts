/**
 * The usage events: which routes each counts, and its figures by the names under which they are
 * sent. No figure holds text of users: names come from lists that are part of the server.
 */
import { isObject, objectOf } from '../core/json.ts';
import { MemoMap } from '../core/memo-map.ts';
import { normalizeLocale } from '../model/locales.ts';
import { BUILT_IN_RANKING_RULES } from '../model/settings.ts';
import * as measures from './measures.ts';

const OTHER = 'other';

const PRODUCTS = `curl Wget Mozilla node undici axios got python-requests python-httpx aiohttp
 Go-http-client GuzzleHttp okhttp Apache-HttpClient Java Dart Ruby Faraday reqwest k6 PostmanRuntime
 insomnia gannet`.split(/\s+/);

/** Official clients and integrations, which send `<brand> <name> (v1.2.3)`. */
const OFFICIAL =
  /^Meilisearch (JavaScript|PHP|Python|Ruby|Go|Rust|Java|Dart|DotNET|Swift|Kotlin|Strapi|Symfony|Laravel|Rails|instant-meilisearch|docs-searchbar\.js|docs-scraper|Firebase|Gatsby|VuePress) \(v(\d{1,4}\.\d{1,4})/i;

const PRODUCT = /^([A-Za-z][A-Za-z-]{1,30})(?:\/v?(\d{1,4}(?:\.\d{1,4})?))?(?=[\s./;(]|$)/;

/** Bounds both caches of headers; clients send few different values. */
const HEADERS_MAX = 256;

/** Product, and the first two numbers of its version. */
function clientOf(header: string): string {
  const [, official, officialVersion] = OFFICIAL.exec(header) ?? [];
  if (official !== undefined) return `Meilisearch ${official} ${officialVersion}`;
  const [, product = '', version = ''] = PRODUCT.exec(header) ?? [];
  const name = PRODUCTS.find((known) => known.toLowerCase() === product.toLowerCase());
  return name === undefined ? OTHER : `${name} ${version}`.trim();
}
const clients = new MemoMap<string, string>(HEADERS_MAX);

const MEDIA_TYPES = `application/json application/x-ndjson text/csv text/plain
 application/octet-stream application/x-www-form-urlencoded multipart/form-data`.split(/\s+/);

/** @param header value of `Content-Type` */
function mediaTypeOf(header: string): string {
  const [mediaType = ''] = header.split(';');
  const name = mediaType.trim().toLowerCase();
  return MEDIA_TYPES.includes(name) ? name : OTHER;
}
const mediaTypes = new MemoMap<string, string>(HEADERS_MAX);

const { average, distinct, ever, latest, maximum, mostUsed, percentile99, seen, total } = measures;

export interface EndedRequest {
  /** `Route.id`. */
  readonly routeId: string;
  /** As validated; undefined if the request was refused earlier or has none. */
  readonly query: unknown;
  readonly body: unknown;
  /** Header that names the client. */
  readonly client: string;
  readonly contentType: string | null;
  readonly status: number;
  readonly durationMs: number;
  /** The request names an index that did not exist when the response was sent. */
  readonly isIndexNew: boolean;
  /** A search of the request reached its time limit. */
  readonly isDegraded: boolean;
}

type Members = Readonly<Record<string, unknown>>;

interface Fact {
  readonly request: EndedRequest;
  readonly isOk: boolean;
  /** Members of the body, else of the query string; the accepted settings of a settings route. */
  readonly asked: Members;
  /** Conditions of the filter. */
  readonly filter: string;
}

type Figures = Readonly<Record<string, measures.Figure<Fact>>>;

/** Characters of a text that are looked at. */
const TEXT_MAX = 4096;

const isSet = (value: unknown): boolean => value !== undefined && value !== null;
const isTrue = (value: unknown): boolean => value === true;
const membersOfEach = (value: unknown): Members[] =>
  (Array.isArray(value) ? value : Object.values(objectOf(value))).map(objectOf);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textsIn = (value: unknown): string[] =>
  listOf(value).filter((item) => typeof item === 'string');
/** Length of a list or number of members. */
const sizeOf = (value: unknown) =>
  Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : undefined;
const numberOf = (value: unknown) => (typeof value === 'number' ? value : undefined);

/** Each form adds at least one character, so that `TEXT_MAX` bounds the number of forms, too. */
function withFilter(before: string, form: unknown): string {
  if (typeof form === 'string') return `${before} ${form.slice(0, TEXT_MAX - before.length)}`;
  let text = `${before} `;
  if (!Array.isArray(form)) return text;
  for (const part of form) {
    if (text.length >= TEXT_MAX) break;
    text = withFilter(text, part);
  }
  return text;
}

export function factOf(request: EndedRequest): Fact {
  const { routeId, query, body } = request;
  const isOk = request.status < 400;
  const [, setting] = /^settings\.(\w+)\.update$/.exec(routeId) ?? [];
  const members = setting === undefined ? objectOf(body ?? query) : { [setting]: body };
  const asked = isOk || !routeId.startsWith('settings.') ? members : {};
  const filter = isSet(asked['filter']) ? withFilter('', asked['filter']) : '';
  return { request, isOk, asked, filter };
}

/** Reads the parameter at a path. */
const at = <T>(path: string, of: (value: unknown) => T) => {
  const [member = '', ...rest] = path.split('.');
  const read =
    rest.length === 0
      ? ({ asked }: Fact): T => of(asked[member])
      : ({ asked }: Fact): T =>
          of(rest.reduce<unknown>((value, name) => objectOf(value)[name], asked[member]));
  return Object.assign(read, { member });
};
/** For a figure to which facts without the member add, too. */
const always =
  <T>(read: (fact: Fact) => T) =>
  (fact: Fact): T =>
    read(fact);
const whether = (path: string) => ever(at(path, isSet));
const whetherTrue = (path: string) => ever(at(path, isTrue));
const longest = (path: string) => maximum(at(path, sizeOf));
const greatest = (path: string) => maximum(at(path, numberOf));
const contains = (path: string, item: string) =>
  ever(at(path, (list) => listOf(list).includes(item)));
/** The last value, if it is a number, a boolean or one of `names`. */
const choice = (path: string, ...names: string[]) => {
  const isKnown = (value: unknown): value is number | boolean | string =>
    typeof value === 'string' ? names.includes(value) : isSet(value) && typeof value !== 'object';
  return latest(at(path, (value) => (isKnown(value) ? value : undefined)));
};
const count = (is: (fact: Fact) => boolean) => total((fact: Fact) => Number(is(fact)));
const received = count(() => true);
const isRoute = (routeId: string) => ever(({ request }: Fact) => request.routeId === routeId);
const filters = (text: string) => ever(({ filter }: Fact) => filter.includes(text));

export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** @param name of each figure, with the parameter in snake case for `*` */
const each = (name: string, parameters: string, figure: (parameter: string) => Figures[string]) =>
  Object.fromEntries(
    parameters.split(' ').map((each) => [name.replace('*', snakeCase(each)), figure(each)]),
  );

const requests: Figures = {
  'requests.99th_response_time': percentile99(({ isOk, request }) =>
    isOk ? request.durationMs : undefined,
  ),
  'requests.total_received': received,
  'requests.total_succeeded': count(({ isOk }) => isOk),
  'requests.total_failed': count(({ isOk }) => !isOk),
  'requests.total_degraded': count(({ request }) => request.isDegraded),
};

const filterSyntax = mostUsed(({ asked: { filter } }: Fact) => {
  if (!Array.isArray(filter)) return typeof filter === 'string' ? 'string' : undefined;
  const kinds = new Set(filter.slice(0, TEXT_MAX).map(Array.isArray));
  if (kinds.size > 1) return 'mixed';
  return kinds.has(true) ? 'nested array' : 'array';
});
const wordsOf = (q: unknown) =>
  typeof q === 'string' ? q.slice(0, TEXT_MAX).trim().split(/\s+/) : undefined;
const negatives = (q: unknown) => typeof q === 'string' && /(^|\s)-\S/.test(q.slice(0, TEXT_MAX));

const search: Figures = {
  ...requests,
  'requests.total_used_negative_operator': count(at('q', negatives)),
  'sort.with_geoPoint': ever(
    at('sort', (sort) => textsIn(sort).some((criterion) => criterion.startsWith('_geoPoint'))),
  ),
  'sort.avg_criteria_number': average(at('sort', sizeOf)),
  'filter.with_geoRadius': filters('_geoRadius'),
  'filter.with_geoBoundingBox': filters('_geoBoundingBox'),
  'filter.on_vectors': filters('_vectors'),
  'filter.most_used_syntax': filterSyntax,
  'q.max_terms_number': maximum(at('q', (q) => wordsOf(q)?.length)),
  'pagination.max_limit': maximum(({ asked }) => numberOf(asked['hitsPerPage'] ?? asked['limit'])),
  'pagination.max_offset': greatest('offset'),
  'pagination.most_used_navigation': mostUsed(({ asked }) =>
    isSet(asked['page'] ?? asked['hitsPerPage']) ? 'exhaustive' : 'estimated',
  ),
  ...each('formatting.max_*', 'attributesToRetrieve attributesToHighlight', longest),
  ...each('formatting.max_*', 'attributesToCrop', longest),
  ...each('formatting.*', 'highlightPreTag highlightPostTag cropLength cropMarker', whether),
  ...each('formatting.*', 'showMatchesPosition', whetherTrue),
  'facets.avg_facets_number': average(at('facets', sizeOf)),
  ...each('scoring.*', 'showRankingScore showRankingScoreDetails', whetherTrue),
  ...each('scoring.*', 'rankingScoreThreshold', whether),
  'attributes_to_search_on.total_number_of_uses': count(at('attributesToSearchOn', isSet)),
  'matching_strategy.most_used_strategy': mostUsed(
    at('matchingStrategy', (strategy) => strategy as string | undefined),
  ),
  distinct: whether('distinct'),
  locales: seen(
    at('locales', (locales) => textsIn(locales).flatMap((each) => normalizeLocale(each) ?? [])),
  ),
  'vector.max_vector_size': longest('vector'),
  'vector.retrieve_vectors': whetherTrue('retrieveVectors'),
  'hybrid.enabled': ever(({ asked }) => isSet(asked['hybrid'] ?? asked['hybridEmbedder'])),
  'hybrid.semantic_ratio': ever(({ asked }) =>
    isSet(objectOf(asked['hybrid'])['semanticRatio'] ?? asked['hybridSemanticRatio']),
  ),
  'hybrid.total_media': count(at('media', isSet)),
};

const countOfIndexes = at(
  'queries',
  (queries) => new Set(textsIn(membersOfEach(queries).map(({ indexUid }) => indexUid))).size,
);
const remotesOf = at('queries', (queries) =>
  textsIn(membersOfEach(queries).map((query) => objectOf(query['federationOptions'])['remote'])),
);
const countOfQueries = at('queries', (queries) => listOf(queries).length);

const multiSearch: Figures = {
  ...requests,
  'searches.total_search_count': total(countOfQueries),
  'searches.avg_search_count': average(always(countOfQueries)),
  'indexes.avg_distinct_index_count': average(always(countOfIndexes)),
  'indexes.total_distinct_index_count': total(countOfIndexes),
  'indexes.total_single_index': count((fact) => countOfIndexes(fact) === 1),
  'federation.use_federation': whether('federation'),
  'remotes.total_distinct_remote_count': distinct(remotesOf),
  'remotes.avg_distinct_remote_count': average((fact) => new Set(remotesOf(fact)).size),
  'scoring.show_ranking_score': ever(
    at('queries', (queries) =>
      membersOfEach(queries).some(({ showRankingScore }) => showRankingScore === true),
    ),
  ),
};

const facetSearch: Figures = {
  ...requests,
  'facets.total_distinct_facet_count': distinct(({ asked }) => textsIn([asked['facetName']])),
  'facets.additional_search_parameters_provided': ever(({ asked }) =>
    Object.keys(asked).some((name) => name !== 'facetName' && name !== 'facetQuery'),
  ),
};

const pagination: Figures = {
  'vector.retrieve_vectors': whetherTrue('retrieveVectors'),
  'pagination.max_limit': greatest('limit'),
  'pagination.max_offset': greatest('offset'),
};

/** Whether a primary key was named; null before. */
const primaryKey = latest(({ asked, request: { query } }: Fact) =>
  isSet(objectOf(query)['primaryKey'] ?? asked['primaryKey']) ? 'set' : undefined,
);

const EMBEDDER_SOURCES = ['openAi', 'huggingFace', 'ollama', 'userProvided', 'rest', 'composite'];
const ofEmbedders = <T>(of: (embedders: readonly Members[]) => T) =>
  at('embedders', (embedders) => of(membersOfEach(embedders)));
const builtIn: readonly string[] = BUILT_IN_RANKING_RULES;
const positionOf = (rule: string) =>
  latest(
    at('rankingRules', (rules) => {
      const position = listOf(rules).indexOf(rule);
      return position < 0 ? undefined : position;
    }),
  );

const settings: Figures = {
  total_received: received,
  ...each('ranking_rules.*_position', 'words typo proximity attribute attributeRank', positionOf),
  'ranking_rules.attribute_position_position': positionOf('wordPosition'),
  ...each('ranking_rules.*_position', 'sort exactness', positionOf),
  'ranking_rules.values': latest(
    at('rankingRules', (rules) =>
      isSet(rules)
        ? textsIn(rules)
            .filter((rule) => builtIn.includes(rule))
            .join(', ')
        : undefined,
    ),
  ),
  ...each('*.total', 'sortableAttributes filterableAttributes searchableAttributes', longest),
  ...each('*.total', 'displayedAttributes stopWords separatorTokens nonSeparatorTokens', longest),
  ...each('*.total', 'dictionary synonyms embedders', longest),
  ...each('*.has_geo', 'sortableAttributes filterableAttributes', (name) => contains(name, '_geo')),
  'filterable_attributes.has_patterns': ever(
    at('filterableAttributes', (attributes) =>
      listOf(attributes).some((item) => isObject(item) || String(item).includes('*')),
    ),
  ),
  ...each('*.with_wildcard', 'searchableAttributes displayedAttributes', (name) =>
    contains(name, '*'),
  ),
  'typo_tolerance.enabled': choice('typoTolerance.enabled'),
  ...each('typo_tolerance.*', 'disableOnAttributes disableOnWords', (name) =>
    ever(at(`typoTolerance.${name}`, (list) => listOf(list).length > 0)),
  ),
  ...each('typo_tolerance.min_word_size_for_typos.*', 'oneTypo twoTypos', (name) =>
    choice(`typoTolerance.minWordSizeForTypos.${name}`),
  ),
  'pagination.max_total_hits': choice('pagination.maxTotalHits'),
  'faceting.max_values_per_facet': choice('faceting.maxValuesPerFacet'),
  'faceting.sort_facet_values_by_star_count': ever(
    at('faceting.sortFacetValuesBy.*', (order) => order === 'count'),
  ),
  'faceting.sort_facet_values_by_total': longest('faceting.sortFacetValuesBy'),
  ...each('*.set', 'distinctAttribute proximityPrecision facetSearch prefixSearch', whether),
  'proximity_precision.value': choice('proximityPrecision', 'byWord', 'byAttribute'),
  'facet_search.value': choice('facetSearch'),
  'prefix_search.value': choice('prefixSearch', 'indexingTime', 'disabled'),
  'embedders.document_template_used': ever(
    ofEmbedders((all) => all.some((embedder) => isSet(embedder['documentTemplate']))),
  ),
  'embedders.document_template_max_bytes': maximum(
    ofEmbedders((all) =>
      Math.max(0, ...all.map((one) => Number(one['documentTemplateMaxBytes'] ?? 0))),
    ),
  ),
  'embedders.binary_quantization_used': ever(
    ofEmbedders((all) => all.some((embedder) => embedder['binaryQuantized'] === true)),
  ),
  'embedders.sources': seen(
    ofEmbedders((all) =>
      EMBEDDER_SOURCES.filter((name) => all.some(({ source }) => source === name)),
    ),
  ),
};

const tasks: Figures = {
  per_task_uid: isRoute('tasks.get'),
  filtered_by_uid: whether('uids'),
  filtered_by_index_uid: whether('indexUids'),
  filtered_by_type: whether('types'),
  filtered_by_status: whether('statuses'),
  ...each('filtered_by_*', 'canceledBy beforeEnqueuedAt afterEnqueuedAt', whether),
  ...each('filtered_by_*', 'beforeStartedAt afterStartedAt', whether),
  ...each('filtered_by_*', 'beforeFinishedAt afterFinishedAt', whether),
};

const ofPatterns = (is: (pattern: Members) => boolean) =>
  at('indexes', (patterns) => membersOfEach(patterns).filter(is).length);

/** By name: the ids of the routes that the event counts, and its figures. */
const EVENTS: Readonly<Record<string, readonly [RegExp, Figures]>> = {
  requests: [
    /./,
    {
      total_received: received,
      user_agent: seen(({ request: { client } }) =>
        client ? [clients.getOrCompute(client, clientOf)] : [],
      ),
      payload_type: seen(({ request: { contentType } }) =>
        contentType ? [mediaTypes.getOrCompute(contentType, mediaTypeOf)] : [],
      ),
    },
  ],
  search: [/^search\./, search],
  multiSearch: [/^multiSearch\./, multiSearch],
  facetSearch: [/^facetSearch\./, facetSearch],
  similar: [/^similar\./, { ...requests, ...pagination, 'filter.most_used_syntax': filterSyntax }],
  documentsWritten: [
    /^documents\.(replace|update)$/,
    {
      total_received: received,
      primary_key: primaryKey,
      index_creation: ever(({ request, isOk }) => isOk && request.isIndexNew),
    },
  ],
  documentsDeleted: [
    /^documents\.delete/,
    {
      per_document_id: isRoute('documents.deleteOne'),
      per_batch: isRoute('documents.deleteBatch'),
      per_filter: isRoute('documents.deleteByFilter'),
      clear_all: isRoute('documents.deleteAll'),
    },
  ],
  documentsRead: [
    /^documents\.(get|list|fetch)$/,
    {
      per_document_id: isRoute('documents.get'),
      per_filter: whether('filter'),
      with_vector_filter: filters('_vectors'),
      ...pagination,
    },
  ],
  indexesCreated: [/^indexes\.create$/, { total_received: received, primary_key: primaryKey }],
  indexesSwapped: [
    /^indexes\.swap$/,
    { swap_operation_number: total(({ request }) => listOf(request.body).length) },
  ],
  tasksRead: [/^tasks\.(get|list)$/, tasks],
  statsRead: [/^stats\.(get|index)$/, { per_index_uid: isRoute('stats.index') }],
  settingsChanged: [/^settings\.(\w+\.)?update$/, settings],
  webhooksChanged: [
    /^webhooks\.(create|update)$/,
    {
      webhooks_created: count(({ request }) => request.routeId === 'webhooks.create'),
      'webhooks.updated': count(({ request }) => request.routeId === 'webhooks.update'),
    },
  ],
  export: [
    /^export$/,
    {
      'export.total_received': received,
      'export.has_api_key': whether('apiKey'),
      'export.avg_index_patterns': average(always(ofPatterns(() => true))),
      'export.avg_patterns_with_filter': average(always(ofPatterns(({ filter }) => isSet(filter)))),
      'export.avg_payload_size': average(at('payloadSize', numberOf)),
    },
  ],
};

/** Positions of figures by their member. */
function byMember(figures: readonly Figures[string][]) {
  const groups = new Map<string | undefined, number[]>();
  for (const [i, { member }] of figures.entries())
    groups.set(member, [...(groups.get(member) ?? []), i]);
  return [...groups];
}

export const USAGE_EVENTS = Object.entries(EVENTS).map(([name, [routes, figures]]) => ({
  name,
  routes,
  figures: Object.entries(figures),
  byMember: byMember(Object.values(figures)),
}));
