/** Pure: the search tool of models: its declaration, and its calls. */
import { isObject, parseJson } from '../core/json.ts';
import type { ChatPrompts } from '../model/chat-workspace.ts';

export const SEARCH_TOOL = '_meiliSearchInIndex';

export interface ChatIndex {
  readonly uid: string;
  readonly description: string;
  /** Attributes, or patterns of attributes, for filters. */
  readonly filterable: readonly string[];
  readonly values: Readonly<Record<string, readonly string[]>>;
}

export interface SearchCall {
  readonly indexUid: string;
  readonly q: string;
  /** As the model wrote it; null = none. */
  readonly filter: unknown;
}

/** Maximum number of indexes described to the model; indexes with a description come first. */
const INDEXES_MAX = 100;
const ATTRIBUTES_MAX = 50;

export const describedIndexes = (indexes: readonly ChatIndex[]): readonly ChatIndex[] =>
  [...indexes]
    .sort((a, b) => Number(a.description === '') - Number(b.description === ''))
    .slice(0, INDEXES_MAX);

/** The prompt of the workspace, and the indexes to search. */
export function systemMessage({ system }: ChatPrompts, indexes: readonly ChatIndex[]): string {
  if (indexes.length === 0) return system;
  const lines = indexes.map(({ uid, description, filterable, values }) => {
    const shown = filterable.slice(0, ATTRIBUTES_MAX).map((name) => withValues(name, values[name]));
    const attributes = shown.join(', ') || 'none';
    return `- ${uid}: ${description === '' ? '' : `${description} `}(attributes for filters: ${attributes})`;
  });
  return `${system}\n\nThese indexes can be searched:\n${lines.join('\n')}`;
}

/** Values as JSON, which keeps their limits visible. */
const withValues = (name: string, values: readonly string[] = []): string =>
  values.length === 0
    ? name
    : `${name} (values such as ${values.map((value) => JSON.stringify(value)).join(', ')})`;

/** In the form of provider requests; empty without indexes. */
export function searchTools(prompts: ChatPrompts, indexes: readonly ChatIndex[]): object[] {
  if (indexes.length === 0) return [];
  const properties = {
    index_uid: {
      type: 'string',
      enum: indexes.map(({ uid }) => uid),
      description: prompts.searchIndexUidParam,
    },
    q: { type: ['string', 'null'], description: prompts.searchQParam },
    filter: { type: ['string', 'null'], description: prompts.searchFilterParam },
  };
  const parameters = {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
  return [
    {
      type: 'function',
      function: { name: SEARCH_TOOL, description: prompts.searchDescription, parameters },
    },
  ];
}

/** The arguments of a call, or an error message for the model. */
export function readSearchCall(name: string, text: string): SearchCall | string {
  if (name !== SEARCH_TOOL) return `There is no tool \`${name}\`; there is \`${SEARCH_TOOL}\`.`;
  const given = parseJson(text);
  if (!isObject(given)) return 'The arguments are no JSON object; send them again.';
  const { index_uid: indexUid, q, filter } = given;
  if (typeof indexUid !== 'string') return '`index_uid` must be the name of an index.';
  if (q !== undefined && q !== null && typeof q !== 'string') return '`q` must be a string.';
  const isBlank = typeof filter === 'string' && filter.trim() === '';
  return { indexUid, q: q ?? '', filter: isBlank ? null : (filter ?? null) };
}
