/** The OpenAPI description, derived from the route table. */

import { type ErrorCode, errorCodes } from '../../core/error-codes.ts';
import type { Json } from '../../core/json.ts';
import { notesOf, type TSchema } from '../../model/schemas/schema.ts';
import { UPLOAD_MEDIA_TYPES } from '../../model/upload.ts';
import { errorsOf, type Route } from '../contract/route.ts';
import { answerShapeOf } from './answer-shapes.ts';
import { type MemberPlace, meaningOf, placeBelow } from './meaning-of.ts';

const VERSION = '3.1.0';
const ERROR_REF = '#/components/schemas/Error';
const SECURITY_SCHEME = 'key';

/** Notes of this project's schemas that are not JSON Schema. */
const NOTES: ReadonlySet<string> = new Set(['code', 'missing', 'text', 'expects']);
/** Below these keywords, names are members and not keywords. */
const MEMBER_MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties']);

/** The type says it already. */
const SAID_BY_TYPE =
  /^(`true` or `false`|a (non-negative )?(string|integer|number)( or null)?$|one of )/;

/** Plain JSON Schema; the description of a member has its meaning and its allowed values. */
export function plainSchema(schema: unknown, place: MemberPlace): unknown {
  if (Array.isArray(schema)) return schema.map((item) => plainSchema(item, place));
  if (typeof schema !== 'object' || schema === null) return schema;
  const plain: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (NOTES.has(keyword) || keyword.startsWith('~')) continue;
    plain[keyword] =
      MEMBER_MAPS.has(keyword) && typeof value === 'object' && value !== null
        ? plainMembers(value, keyword === 'properties', place)
        : plainSchema(value, place);
  }
  return plain;
}

/** @param areNamed false = the names are patterns */
const plainMembers = (members: object, areNamed: boolean, place: MemberPlace): Json =>
  Object.fromEntries(
    Object.entries(members).map(([name, member]) => [
      name,
      areNamed ? describedMember(name, member as TSchema, place) : plainSchema(member, place),
    ]),
  );

/** The schema of a member, of a body or of an address, with its description. */
function describedMember(name: string, member: TSchema, place: MemberPlace): Json {
  const plain = plainSchema(member, placeBelow(name, place)) as Json;
  const means = meaningOf(name, place);
  const { expects } = notesOf(member);
  const takes = expects === undefined || SAID_BY_TYPE.test(expects) ? [] : [expects];
  const description = [...(means === undefined ? [] : [means]), ...takes].join(': ');
  return description === '' ? plain : { ...plain, description };
}

const templateOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

const pathParameters = (path: string, place: MemberPlace): Json[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: meaningOf(name, place),
    schema: { type: 'string' },
  }));

function queryParameters(query: TSchema | undefined, place: MemberPlace): Json[] {
  const { properties = {}, required = [] } = (query ?? {}) as {
    readonly properties?: Json;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: describedMember(name, schema as TSchema, place),
  }));
}

const UPLOAD_SCHEMAS: Readonly<Record<keyof typeof UPLOAD_MEDIA_TYPES, Json>> = {
  json: { anyOf: [{ type: 'object' }, { type: 'array', items: { type: 'object' } }] },
  ndjson: { type: 'string' },
  csv: { type: 'string' },
};

const uploadContent = (): Json =>
  Object.fromEntries(
    Object.entries(UPLOAD_SCHEMAS).map(([format, schema]) => [
      UPLOAD_MEDIA_TYPES[format as keyof typeof UPLOAD_MEDIA_TYPES],
      { schema },
    ]),
  );

function requestBody({ body, upload }: Route, place: MemberPlace): Json {
  if (body === undefined && upload === undefined) return {};
  const content =
    body === undefined
      ? uploadContent()
      : { 'application/json': { schema: plainSchema(body, place) } };
  return { requestBody: { required: true, content } };
}

function errorResponses(route: Route): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(route)) {
    const { status } = errorCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const response = (codes: readonly ErrorCode[]): Json => ({
    description: codes.join(', '),
    content: { 'application/json': { schema: { $ref: ERROR_REF } } },
  });
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, response(codes)]));
}

function answerOf(route: Route, place: MemberPlace): Json {
  const { status, contentType, schema } = answerShapeOf(route);
  const content =
    contentType === null
      ? {}
      : {
          content: {
            [contentType]: schema === undefined ? {} : { schema: plainSchema(schema, place) },
          },
        };
  return { [status]: { description: route.summary, ...content } };
}

function operationOf(route: Route): Json {
  const [family = ''] = route.id.split('.');
  const place: MemberPlace = { family, parent: null };
  return {
    operationId: route.id,
    tags: [family],
    summary: route.summary,
    parameters: [...pathParameters(route.path, place), ...queryParameters(route.query, place)],
    ...requestBody(route, place),
    responses: { ...answerOf(route, place), ...errorResponses(route) },
    security: route.action === null ? [] : [{ [SECURITY_SCHEME]: [route.action] }],
  };
}

const errorMember = (name: string, values?: readonly string[]): Json => ({
  type: 'string',
  description: meaningOf(name, { family: 'error', parent: null }),
  ...(values !== undefined && { enum: values }),
});

const COMPONENTS = {
  schemas: {
    Error: {
      type: 'object',
      required: ['message', 'code', 'type', 'link'],
      properties: {
        message: errorMember('message'),
        code: errorMember('code', Object.keys(errorCodes)),
        type: errorMember('type', ['invalid_request', 'internal', 'auth', 'system']),
        link: errorMember('link'),
      },
    },
  },
  securitySchemes: { [SECURITY_SCHEME]: { type: 'http', scheme: 'bearer' } },
};

/** @param version of the server */
export function openApiOf(routes: readonly Route[], version: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const template = templateOf(route.path);
    paths[template] = { ...paths[template], [route.method.toLowerCase()]: operationOf(route) };
  }
  return { openapi: VERSION, info: { title: 'Gannet', version }, paths, components: COMPONENTS };
}
