/** The MCP tools: one table, each tool a request to the API. */

type Given = Readonly<Record<string, unknown>>;

export interface ToolRequest {
  readonly method: 'GET' | 'POST';
  /** With the query string. */
  readonly path: string;
  readonly body?: unknown;
}

interface Refusal {
  readonly message: string;
  /** Error code of the API; null if no answer came. */
  readonly code: string | null;
}

export type ToolAnswer =
  | { readonly text: string }
  | { readonly refusal: Refusal }
  /** The answer has more bytes than allowed. */
  | { readonly bytesMax: number };

/** The API as tools use it, under one key. */
export interface ToolTarget {
  ask(request: ToolRequest, answerBytesMax: number): Promise<ToolAnswer>;
  /** Resolves when the task has ended, with the task if it has succeeded. */
  ended(taskUid: number): Promise<ToolAnswer>;
}

export interface Tool {
  readonly title: string;
  /** Shown to the assistant. */
  readonly description: string;
  /** Properties of the arguments, as JSON Schema. */
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  /** True if the tool changes documents; such tools are offered only with `--allow-writes`. */
  readonly isWrite?: true;
  readonly request: (given: Given) => ToolRequest;
}

/** Bound on results, because an assistant's context is limited. */
const LIMIT_MAX = 100;
const LIMIT_DEFAULT = 10;
/** Bytes of one answer. */
const ANSWER_BYTES_MAX = 256 * 1024;

const text = (description: string) => ({ type: 'string', description });
const texts = (description: string) => ({ type: 'array', items: { type: 'string' }, description });
const index = text('uid of the index, as list_indexes returns it');
const limit = {
  type: 'integer',
  minimum: 1,
  maximum: LIMIT_MAX,
  description: `maximum number of results; default ${LIMIT_DEFAULT}`,
};
const offset = { type: 'integer', minimum: 0, description: 'number of results to skip' };
const filter = {
  ...text(
    'which documents: conditions on filterableAttributes such as `year > 1999 AND (genre = drama OR genre = "science fiction")`; also IN [a, b], EXISTS, IS NULL, CONTAINS, STARTS WITH, _geoRadius(lat, lng, metres)',
  ),
};

const pathOf = ({ index: uid }: Given, rest: string): string =>
  `/indexes/${encodeURIComponent(String(uid))}${rest}`;

/** The arguments without the index, as a request body. */
const bodyOf = ({ index: _, ...others }: Given, defaults: object = {}): object => ({
  ...defaults,
  ...others,
});

export const TOOLS: Readonly<Record<string, Tool>> = {
  list_indexes: {
    title: 'List indexes',
    description: 'The indexes of the server with their primary keys.',
    properties: { limit, offset },
    required: [],
    request: (given) => ({
      method: 'GET',
      path: `/indexes?limit=${Number(given['limit'] ?? LIMIT_MAX)}&offset=${Number(given['offset'] ?? 0)}`,
    }),
  },
  index_statistics: {
    title: 'Statistics of an index',
    description:
      'How many documents an index has, and how many of them have each field. Shows which fields exist.',
    properties: { index },
    required: ['index'],
    request: (given) => ({ method: 'GET', path: pathOf(given, '/stats') }),
  },
  index_settings: {
    title: 'Settings of an index',
    description:
      'Which attributes are searched, may be filtered, sorted and counted as facets, and which embedders there are.',
    properties: { index },
    required: ['index'],
    request: (given) => ({ method: 'GET', path: pathOf(given, '/settings') }),
  },
  search: {
    title: 'Search',
    description:
      'Searches an index by keywords, semantically (`hybrid`) or both, with filters and counts of facet values. Typos are forgiven; words in "quotes" are a phrase, a word after - is excluded.',
    properties: {
      index,
      q: text('search query; empty matches all documents'),
      filter,
      sort: texts('sort criteria such as `price:asc`; attributes must be in sortableAttributes'),
      facets: texts('attributes whose values are counted; `*` = all filterable attributes'),
      limit,
      offset,
      attributesToRetrieve: texts('fields of the hits; default all'),
      attributesToSearchOn: texts('attributes to search; default all searchable attributes'),
      matchingStrategy: {
        enum: ['last', 'all', 'frequency', 'any'],
        description:
          'which words a hit must have: all, all but the last ones, all but the most frequent, or any; `any` for questions and sentences',
      },
      hybrid: {
        type: 'object',
        description: 'hybrid search with an embedder of the index',
        properties: {
          embedder: text('name of the embedder in the settings'),
          semanticRatio: {
            type: 'number',
            minimum: 0,
            maximum: 1,
            description: '0 = keyword search only, 1 = semantic search only',
          },
          semanticThreshold: {
            type: 'number',
            minimum: 0,
            maximum: 1,
            description: 'minimum score of semantic hits; makes totals and facets exact',
          },
        },
        required: ['embedder'],
        additionalProperties: false,
      },
      vector: {
        type: 'array',
        items: { type: 'number' },
        description: 'query vector, instead of a text',
      },
      showRankingScore: {
        type: 'boolean',
        description: 'adds the ranking score of each hit, 0 to 1',
      },
      rankingScoreThreshold: { type: 'number', minimum: 0, maximum: 1 },
    },
    required: ['index'],
    request: (given) => ({
      method: 'POST',
      path: pathOf(given, '/search'),
      body: bodyOf(given, { limit: LIMIT_DEFAULT }),
    }),
  },
  facet_search: {
    title: 'Search facet values',
    description: 'Values of one attribute that start with the query, with document counts.',
    properties: {
      index,
      facetName: text('the attribute'),
      facetQuery: text('prefix of the value; empty = the most frequent values'),
      q: text('counts only documents that match this query'),
      filter,
    },
    required: ['index', 'facetName'],
    request: (given) => ({
      method: 'POST',
      path: pathOf(given, '/facet-search'),
      body: bodyOf(given),
    }),
  },
  get_documents: {
    title: 'Get documents',
    description: 'Documents by ids, by a filter, or all documents of an index page by page.',
    properties: {
      index,
      ids: { type: 'array', items: { type: ['string', 'integer'] }, maxItems: LIMIT_MAX },
      filter,
      fields: texts('fields of the documents; default all'),
      limit,
      offset,
    },
    required: ['index'],
    request: (given) => ({
      method: 'POST',
      path: pathOf(given, '/documents/fetch'),
      body: bodyOf(given, { limit: LIMIT_DEFAULT }),
    }),
  },
  add_documents: {
    title: 'Add documents',
    description:
      'Adds documents, and replaces documents with the same ids. Returns when the task has ended.',
    properties: {
      index,
      documents: { type: 'array', items: { type: 'object' }, minItems: 1, maxItems: 1000 },
    },
    required: ['index', 'documents'],
    isWrite: true,
    request: (given) => ({
      method: 'POST',
      path: pathOf(given, '/documents'),
      body: given['documents'],
    }),
  },
  delete_documents: {
    title: 'Delete documents',
    description: 'Deletes documents by their ids. Returns when the task has ended.',
    properties: {
      index,
      ids: {
        type: 'array',
        items: { type: ['string', 'integer'] },
        minItems: 1,
        maxItems: 1000,
      },
    },
    required: ['index', 'ids'],
    isWrite: true,
    request: (given) => ({
      method: 'POST',
      path: pathOf(given, '/documents/delete-batch'),
      body: given['ids'],
    }),
  },
};

/** Of a tool that writes, the answer is the finished task. */
export async function askTool(
  { request, isWrite }: Tool,
  target: ToolTarget,
  given: Given,
): Promise<ToolAnswer> {
  const answer = await target.ask(request(given), ANSWER_BYTES_MAX);
  if (isWrite === undefined || !('text' in answer)) return answer;
  const { taskUid } = JSON.parse(answer.text) as { taskUid: number };
  return target.ended(taskUid);
}
