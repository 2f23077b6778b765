/** The page about search parameters as Markdown, made of their table alone. */
import type { SearchParameter } from '../../src/api/description/search-parameter.ts';

type Groups = Readonly<Record<string, Readonly<Record<string, SearchParameter>>>>;

const SEARCH = 'curl localhost:7700/indexes/films/search';
const JSON_TYPE = "-H 'Content-Type: application/json'";
const quoted = (value: unknown): string => JSON.stringify(value).replaceAll("'", "'\\''");

/** A request that needs more than the films is shown, not run. */
function exampleOf({ request, answer }: SearchParameter, name: string): string[] {
  const query = name === 'profile' ? "'localhost:7700/indexes/films/search?profile=true'" : null;
  const start = query === null ? SEARCH : `curl ${query}`;
  const command = `${start} ${JSON_TYPE} \\\n  -d '${quoted(request)}'`;
  const isTried = answer !== undefined || name === 'profile';
  return [
    '',
    `\`\`\`sh ${isTried ? 'tried' : 'untried'}`,
    command,
    '```',
    ...(answer === undefined ? [] : ['', '```json answer', JSON.stringify(answer), '```']),
  ];
}

const sectionOf = ([name, parameter]: readonly [string, SearchParameter]): string[] => [
  '',
  `### ${name}`,
  '',
  `${parameter.means}${parameter.default === null ? '' : ` Default: ${codeOf(parameter.default)}.`}${parameter.limits === undefined ? '' : ` Limits: ${parameter.limits}`}`,
  ...exampleOf(parameter, name),
  '',
  `Mistake: ${parameter.mistake}`,
];

/** The value as code; words behind it stay words. */
function codeOf(value: string): string {
  const [, json = '', words = ''] =
    /^("[^"]*"|\[.*?\]|null|false|\d[\d.]*)?(.*)$/.exec(value) ?? [];
  return json === '' ? words : `\`${json}\`${words}`;
}

export function searchParametersPage(groups: Groups): string {
  const sections = Object.entries(groups).flatMap(([title, parameters]) => [
    '',
    `## ${title}`,
    ...Object.entries(parameters).flatMap(sectionOf),
  ]);
  return [
    '# Search parameters',
    '',
    'What can be sent with a search: meaning, default, limits, an example and a common mistake of each',
    'parameter. They are members of the body of `POST /indexes/{uid}/search` and, but for `hybrid` and',
    '`personalize`, parameters of the address of `GET`; lists are separated by commas there. Written',
    'from the tables in `src/api/description`, as the descriptions in `/openapi.json` are.',
    '',
    'The examples search these films, of which one has a vector:',
    '',
    '```sh tried',
    'gannet import examples/films.json --index films',
    `gannet export films | sed 's/^{/{"_vectors": {"own": null}, /' \\`,
    '  | gannet import - --format ndjson --index films',
    `curl -X PATCH localhost:7700/indexes/films/settings ${JSON_TYPE} -d '{`,
    '  "searchableAttributes": ["title", "overview", "director"],',
    '  "filterableAttributes": ["genres", "year", "country", "director"],',
    '  "sortableAttributes": ["year"],',
    '  "embedders": {"own": {"source": "userProvided", "dimensions": 2}}',
    "}'",
    `curl -X PUT localhost:7700/indexes/films/documents ${JSON_TYPE} \\`,
    '  -d \'[{"id": 1, "_vectors": {"own": [0.2, 0.9]}}]\'',
    '```',
    ...sections,
    '',
  ].join('\n');
}
