/** The page about error codes as Markdown: of the tables of codes and remedies, schemas and routes. */
import { errorsOf, type Route } from '../../src/api/contract/route.ts';
import { type ErrorCode, errorCodes } from '../../src/core/error-codes.ts';
import { notesOf, type TSchema } from '../../src/model/schemas/schema.ts';
import { ERROR_REMEDIES, type ErrorRemedy } from './error-remedies.ts';
import type { RouteErrorCase } from './route-errors/refused-request.ts';

const ROUTES_SHOWN_MAX = 8;
const BODY_SHOWN_MAX = 160;

interface Parts {
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly patternProperties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
  readonly required?: readonly string[];
}

const hasMembers = (schema: TSchema): boolean => {
  const { properties, items, anyOf = [] } = schema as Parts;
  return properties !== undefined || items !== undefined || anyOf.some(hasMembers);
};

/** Causes of the codes below a schema, by the member that raises them. */
function* causesOf(schema: TSchema, path: string): Generator<readonly [ErrorCode, ErrorRemedy]> {
  const { properties = {}, patternProperties = {}, items, anyOf = [] } = schema as Parts;
  const { code, missing, expects } = notesOf(schema);
  const member = path === '' ? 'the body' : `\`${path}\``;
  if (missing !== undefined)
    yield [missing, { cause: `${member} is missing`, remedy: `Send ${member}.` }];
  if (code !== undefined) {
    const isRefused = (schema as { readonly not?: object }).not !== undefined;
    const takes = expects === undefined ? null : expects;
    yield [
      code,
      isRefused || takes === null
        ? { cause: `${member} has a value that it cannot have`, remedy: `The message says which.` }
        : {
            cause: `${member} is not ${takes}${hasMembers(schema) ? ', or a member of it is wrong' : ''}`,
            remedy: `Send ${takes}.`,
          },
    ];
  }
  for (const [name, inner] of Object.entries(properties))
    yield* causesOf(inner, path === '' ? name : `${path}.${name}`);
  for (const inner of Object.values(patternProperties)) yield* causesOf(inner, path);
  if (items !== undefined) yield* causesOf(items, path);
  for (const inner of anyOf) yield* causesOf(inner, path);
}

/** The first cause of each code in the schemas of the routes. */
function schemaRemedies(routes: readonly Route[]): Map<ErrorCode, ErrorRemedy> {
  const found = new Map<ErrorCode, ErrorRemedy>();
  for (const { body, query } of routes) {
    for (const schema of [body, query]) {
      if (schema === undefined) continue;
      for (const [code, remedy] of causesOf(schema, ''))
        if (!found.has(code)) found.set(code, remedy);
    }
  }
  return found;
}

const CAN_BE_IMMUTABLE = /^immutable_/;
const immutable: ErrorRemedy = {
  cause: 'the member cannot be changed after the creation',
  remedy: 'Leave it out, or create another one.',
};

const inCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** A refused request of the tests as one line. */
function exampleOf(found: RouteErrorCase | undefined): string {
  if (found === undefined) return '';
  const { method, path, options } = found;
  const body = typeof options.body === 'string' ? options.body : '';
  const shown = body.length > BODY_SHOWN_MAX || path.length > BODY_SHOWN_MAX ? '' : ` ${body}`;
  return `\`\` ${inCell(`${method} ${path.slice(0, BODY_SHOWN_MAX)}${shown}`.trimEnd())} \`\``;
}

export interface ErrorsPageSources {
  readonly routes: readonly Route[];
  readonly cases: readonly RouteErrorCase[];
}

/** Codes without a cause; the page has none of them. */
export function unexplained({ routes }: ErrorsPageSources): string[] {
  const remedies = schemaRemedies(routes);
  return Object.keys(errorCodes).filter(
    (code) => ERROR_REMEDIES[code as ErrorCode] === undefined && !remedies.has(code as ErrorCode),
  );
}

export function errorsPage({ routes, cases }: ErrorsPageSources): string {
  const remedies = schemaRemedies(routes);
  const declared = routes.map((route) => ({ id: route.id, errors: errorsOf(route) }));
  const rows = Object.entries(errorCodes).map(([name, { type, status }]) => {
    const code = name as ErrorCode;
    const ids = declared.filter(({ errors }) => errors.has(code)).map(({ id }) => id);
    const shown =
      ids.length > ROUTES_SHOWN_MAX
        ? `${ids.length} routes`
        : ids.map((id) => `\`${id}\``).join(' ');
    const known =
      ERROR_REMEDIES[code] ?? (CAN_BE_IMMUTABLE.test(code) ? immutable : remedies.get(code));
    const example = exampleOf(cases.find((found) => found.code === code));
    const cells = [
      `<a id="${code}"></a>\`${code}\``,
      `${type} ${status}`,
      inCell(known?.cause ?? ''),
      inCell(known?.remedy ?? ''),
      example,
      shown,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '# Error codes',
    '',
    'Every code with its cause, the remedy and a request that is refused with it. The `link` of an error leads',
    'to its row. Written from `src/core/error-codes.ts`, `test/support/error-remedies.ts`, the schemas',
    'and the requests of the tests. Codes without routes are those of tasks, or of what this server does not',
    'offer. What to do about the host, the disk and overload: [monitoring.md](monitoring.md#what-is-wrong-here).',
    '',
    '| code | type, HTTP | raised when | remedy | example | routes |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
