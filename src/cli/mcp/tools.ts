/** What an assistant may ask of a server: one table of tools, each a request to the API. */
import type { Instance, InstanceRequest } from '../instance.ts';

type Given = Readonly<Record<string, unknown>>;

interface ToolRequest extends InstanceRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
}

interface Tool {
  readonly title: string;
  /** For the assistant. */
  readonly description: string;
  /** Members of its arguments, as JSON Schema has them. */
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  /** Whether it changes documents, so that it is offered on demand alone. */
  readonly isWrite?: true;
  readonly request: (given: Given) => ToolRequest;
}

/** More would fill what an assistant can hold. */
const LIMIT_MAX = 100;
const LIMIT_DEFAULT = 10;
/** Of one answer. */
const ANSWER_BYTES_MAX = 256 * 1024;

const text = (description: string) => ({ type: 'string', description });
const texts = (description: string) => ({ type: 'array', items: { type: 'string' }, description });
const index = text('uid of the index; list_indexes tells them');
const limit = {
  type: 'integer',
  minimum: 1,
  maximum: LIMIT_MAX,
  description: `how many; ${LIMIT_DEFAULT} if nothing is said`,
};
const offset = { type: 'integer', minimum: 0, description: 'how many to leave out first' };
const filter = {
  ...text(
    'which documents: conditions on filterableAttributes such as `year > 1999 AND (genre = drama OR genre = "science fiction")`; also IN [a, b], EXISTS, IS NULL, CONTAINS, STARTS WITH, _geoRadius(lat, lng, metres)',
  ),
};

const pathOf = ({ index: uid }: Given, rest: string): string =>
  `/indexes/${encodeURIComponent(String(uid))}${rest}`;

/** The arguments but for the index, as a body. */
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
      'How many documents an index has, and how many of them have each field. Tells which fields there are.',
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
      'Searches an index by words, by meaning (`hybrid`) or both, with filters and counts of facet values. Typos are forgiven; words in "quotes" are a phrase, a word after - is excluded.',
    properties: {
      index,
      q: text('what is searched for; empty finds everything'),
      filter,
      sort: texts('order, such as `price:asc`; attributes are sortableAttributes'),
      facets: texts('attributes whose values are counted; `*` for all that may be'),
      limit,
      offset,
      attributesToRetrieve: texts('members of the hits; all if nothing is said'),
      attributesToSearchOn: texts('where words are looked for, instead of everywhere'),
      matchingStrategy: {
        enum: ['last', 'all', 'frequency', 'any'],
        description:
          'which words a hit must have: all, all but the last ones, all but the most frequent, or any; `any` for questions and sentences',
      },
      hybrid: {
        type: 'object',
        description: 'search by meaning, too; needs an embedder of the index',
        properties: {
          embedder: text('its name in the settings'),
          semanticRatio: {
            type: 'number',
            minimum: 0,
            maximum: 1,
            description: '0 words only, 1 meaning only',
          },
          semanticThreshold: {
            type: 'number',
            minimum: 0,
            maximum: 1,
            description: 'least score of what meaning finds; totals and facets are exact then',
          },
        },
        required: ['embedder'],
        additionalProperties: false,
      },
      vector: { type: 'array', items: { type: 'number' }, description: 'in place of a text' },
      showRankingScore: { type: 'boolean', description: 'how well each hit fits, 0 to 1' },
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
    description: 'Values of one attribute that begin as the query does, with counts of documents.',
    properties: {
      index,
      facetName: text('the attribute'),
      facetQuery: text('beginning of the value; empty for the most frequent'),
      q: text('only documents that this search finds'),
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
    description: 'Documents by their ids, by a filter, or all of an index page by page.',
    properties: {
      index,
      ids: { type: 'array', items: { type: ['string', 'integer'] }, maxItems: LIMIT_MAX },
      filter,
      fields: texts('members of the documents; all if nothing is said'),
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
    description: 'Adds documents, or replaces those with the same ids. Answers when it is done.',
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
    description: 'Deletes documents by their ids. Answers when it is done.',
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

/** The answer as JSON text. @throws CommandFailure with what the server refused */
export async function askTool(
  { request, isWrite }: Tool,
  instance: Instance,
  given: Given,
): Promise<string> {
  const { method, path, ...rest } = request(given);
  const answer = await instance.text(method, path, { ...rest, answerBytesMax: ANSWER_BYTES_MAX });
  if (isWrite === undefined) return answer;
  const { taskUid } = JSON.parse(answer) as { taskUid: number };
  return JSON.stringify(await instance.succeeded(taskUid));
}
