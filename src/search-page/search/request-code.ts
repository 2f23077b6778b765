/** A search as code: curl, JavaScript and Python. Pure. */

export const CODE_LANGUAGES = ['curl', 'JavaScript', 'Python'] as const;
export type CodeLanguage = (typeof CODE_LANGUAGES)[number];

export interface CodedSearch {
  /** Address of the server, without `/` at the end. */
  readonly url: string;
  readonly index: string;
  /** Body of the search. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The code has a placeholder for the API key, never the key. */
  readonly needsKey: boolean;
}

const KEY_PLACEHOLDER = 'YOUR_API_KEY';

const jsonOf = (value: unknown): string => JSON.stringify(value, null, 2);
/** Single quotes end, an escaped one follows, and quotes begin again. */
const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function curlOf({ url, index, body, needsKey }: CodedSearch): string {
  const lines = [
    `curl ${shellQuoted(`${url}/indexes/${encodeURIComponent(index)}/search`)}`,
    ...(needsKey ? [`-H 'Authorization: Bearer ${KEY_PLACEHOLDER}'`] : []),
    "-H 'Content-Type: application/json'",
    `--data-binary ${shellQuoted(jsonOf(body))}`,
  ];
  return lines.join(' \\\n  ');
}

function javaScriptOf({ url, index, body, needsKey }: CodedSearch): string {
  const { q = '', ...options } = body;
  const key = needsKey ? `, apiKey: '${KEY_PLACEHOLDER}'` : '';
  return `import { Meilisearch } from 'meilisearch';

const client = new Meilisearch({ host: ${JSON.stringify(url)}${key} });
const answer = await client
  .index(${JSON.stringify(index)})
  .search(${JSON.stringify(q)}, ${jsonOf(options)});`;
}

function pythonOf({ url, index, body, needsKey }: CodedSearch): string {
  const { q = '', ...options } = body;
  const key = needsKey ? `, '${KEY_PLACEHOLDER}'` : '';
  return `import meilisearch

client = meilisearch.Client(${JSON.stringify(url)}${key})
answer = client.index(${JSON.stringify(index)}).search(
    ${JSON.stringify(q)},
    ${pythonLiteral(options, 4)},
)`;
}

/** JSON values with the words and the indentation of Python. */
function pythonLiteral(value: unknown, indent: number): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = ' '.repeat(indent + 4);
  const items = Array.isArray(value)
    ? value.map((item) => pythonLiteral(item, indent + 4))
    : Object.entries(value).map(
        ([name, item]) => `${JSON.stringify(name)}: ${pythonLiteral(item, indent + 4)}`,
      );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (items.length === 0) return `${open}${close}`;
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join('')}${' '.repeat(indent)}${close}`;
}

const WRITERS: Readonly<Record<CodeLanguage, (call: CodedSearch) => string>> = {
  curl: curlOf,
  JavaScript: javaScriptOf,
  Python: pythonOf,
};

export const searchCode = (language: CodeLanguage, call: CodedSearch): string =>
  WRITERS[language](call);
