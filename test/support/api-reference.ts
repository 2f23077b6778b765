/** The reference of the API as Markdown, made of the OpenAPI description alone. */

type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: Json;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly content?: Readonly<Record<string, { readonly schema?: Json }>>;
      }
    >
  >;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

const FIRST_ERROR = 400;
const DEPTH_MAX = 2;

/** A schema in a few words. */
function typeOf(schema: Json | undefined, depth = 0): string {
  const { type, anyOf, items, properties, patternProperties, enum: values } = schema ?? {};
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' or ');
  if (Array.isArray(anyOf))
    return [...new Set(anyOf.map((each) => typeOf(each, depth)))].join(' or ');
  if (type === 'array') return `list of ${typeOf(items as Json, depth)}`;
  if (type !== 'object') return typeof type === 'string' ? type : 'any value';
  const [inner] = Object.values((patternProperties ?? {}) as Record<string, Json>);
  if (inner !== undefined) return `map of ${typeOf(inner, depth)}`;
  const names = Object.keys((properties ?? {}) as Json);
  return names.length === 0 || depth >= DEPTH_MAX ? 'object' : `{${names.join(', ')}}`;
}

const escaped = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Rows of the members of an object, or of the objects in a list. */
function memberRows(schema: Json | undefined): string[] {
  const {
    type,
    items,
    properties,
    required = [],
    anyOf,
  } = (schema ?? {}) as Json & {
    readonly required?: readonly string[];
  };
  if (type === 'array') return memberRows(items as Json);
  if (Array.isArray(anyOf)) return anyOf.flatMap((each) => memberRows(each));
  return Object.entries((properties ?? {}) as Record<string, Json>).map(([name, member]) => {
    const description = typeof member['description'] === 'string' ? member['description'] : '';
    const need = required.includes(name) ? ' (required)' : '';
    return `| \`${name}\`${need} | ${escaped(typeOf(member))} | ${escaped(description)} |`;
  });
}

const table = (head: string, rows: readonly string[]): string[] =>
  rows.length === 0 ? [] : ['', `| ${head} | type | |`, '| --- | --- | --- |', ...new Set(rows)];

function bodyLines({ requestBody }: Operation): string[] {
  if (requestBody === undefined) return [];
  const types = Object.keys(requestBody.content);
  const schema = requestBody.content['application/json']?.schema;
  const rows = memberRows(schema);
  const shape = rows.length === 0 ? `: ${typeOf(schema)}` : '';
  return [
    '',
    `Body (${types.map((type) => `\`${type}\``).join(', ')})${shape}`,
    ...table('member', rows),
  ];
}

function answerLines({ responses }: Operation): string[] {
  return Object.entries(responses).flatMap(([status, { description, content }]) => {
    if (Number(status) >= FIRST_ERROR) return [];
    const [type, media] = Object.entries(content ?? {})[0] ?? [];
    if (type === undefined) return ['', `Answer: ${status} without a body`];
    const rows = memberRows(media?.schema);
    const shape = rows.length > 0 || media?.schema === undefined ? '' : `: ${typeOf(media.schema)}`;
    return ['', `Answer: ${status}, \`${type}\`${shape}`, ...table('member', rows)].concat(
      description === '' ? [description] : [],
    );
  });
}

function errorLines({ responses }: Operation): string[] {
  const codes = Object.entries(responses).flatMap(([status, { description }]) =>
    Number(status) < FIRST_ERROR
      ? []
      : [
          `${status} ${description
            .split(', ')
            .map((code) => `\`${code}\``)
            .join(' ')}`,
        ],
  );
  return ['', `Errors: ${codes.join('; ')}`];
}

function operationLines(method: string, path: string, operation: Operation): string[] {
  const [action] = operation.security.flatMap((scheme) => Object.values(scheme).flat());
  const query = operation.parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }) => {
      const description = typeof schema['description'] === 'string' ? schema['description'] : '';
      return `| \`${name}\` | ${escaped(typeOf(schema))} | ${escaped(description)} |`;
    });
  return [
    '',
    `### ${method.toUpperCase()} ${path}`,
    '',
    `${operation.summary}. ${action === undefined ? 'Needs no key.' : `Action \`${action}\`.`}`,
    ...table('query', query),
    ...bodyLines(operation),
    ...answerLines(operation),
    ...errorLines(operation),
  ];
}

/** @param document of `openApiOf` */
export function apiReference(document: unknown): string {
  const { paths } = document as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const byTag = new Map<string, string[]>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const [tag = ''] = operation.tags;
      const lines = operationLines(method, path, operation);
      byTag.set(tag, [...(byTag.get(tag) ?? []), ...lines]);
    }
  }
  const sections = [...byTag].flatMap(([tag, lines]) => ['', `## ${tag}`, ...lines]);
  return [
    '# API reference',
    '',
    'Written from the OpenAPI description, which the server hands out at `/openapi.json`. What holds for many routes',
    'is in [api.md](api.md). Every path parameter is a string.',
    ...sections,
    '',
  ].join('\n');
}
