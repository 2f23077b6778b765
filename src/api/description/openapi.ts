/** The OpenAPI description, derived from the route table. */

import { type ErrorCode, errorCodes } from '../../core/error-codes.ts';
import type { Json } from '../../core/json.ts';
import type { TSchema } from '../../model/schemas/schema.ts';
import { UPLOAD_MEDIA_TYPES } from '../../model/upload.ts';
import { errorsOf, type Route } from '../contract/route.ts';
import { answerShapeOf } from './answer-shapes.ts';

const VERSION = '3.1.0';
const ERROR_REF = '#/components/schemas/Error';
const SECURITY_SCHEME = 'key';

/** Notes of this project's schemas that are not JSON Schema. */
const NOTES: ReadonlySet<string> = new Set(['code', 'missing', 'text', 'expects']);
/** Below these keywords, names are members and not keywords. */
const MEMBER_MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties']);

const mapValues = (value: object, change: (item: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(value).map(([name, item]) => [name, change(item)]));

/** Plain JSON Schema; the note `expects` becomes the description. */
export function plainSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plainSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  const plain: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (NOTES.has(keyword) || keyword.startsWith('~')) continue;
    plain[keyword] =
      MEMBER_MAPS.has(keyword) && typeof value === 'object' && value !== null
        ? mapValues(value, plainSchema)
        : plainSchema(value);
  }
  const { expects } = schema as { readonly expects?: string };
  return expects === undefined ? plain : { ...plain, description: expects };
}

const templateOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

const pathParameters = (path: string): Json[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

function queryParameters(query: TSchema | undefined): Json[] {
  const { properties = {}, required = [] } = (query ?? {}) as {
    readonly properties?: Json;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: plainSchema(schema),
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

function requestBody({ body, upload }: Route): Json {
  if (body === undefined && upload === undefined) return {};
  const content =
    body === undefined ? uploadContent() : { 'application/json': { schema: plainSchema(body) } };
  return { requestBody: { required: true, content } };
}

/** One response per status, with its error codes. */
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

function answerOf(route: Route): Json {
  const { status, contentType, schema } = answerShapeOf(route);
  const content =
    contentType === null
      ? {}
      : { content: { [contentType]: schema === undefined ? {} : { schema: plainSchema(schema) } } };
  return { [status]: { description: route.summary, ...content } };
}

const operationOf = (route: Route): Json => ({
  operationId: route.id,
  tags: [route.id.split('.')[0]],
  summary: route.summary,
  parameters: [...pathParameters(route.path), ...queryParameters(route.query)],
  ...requestBody(route),
  responses: { ...answerOf(route), ...errorResponses(route) },
  security: route.action === null ? [] : [{ [SECURITY_SCHEME]: [route.action] }],
});

const COMPONENTS = {
  schemas: {
    Error: {
      type: 'object',
      required: ['message', 'code', 'type', 'link'],
      properties: {
        message: { type: 'string' },
        code: { type: 'string', enum: Object.keys(errorCodes) },
        type: { type: 'string', enum: ['invalid_request', 'internal', 'auth', 'system'] },
        link: { type: 'string' },
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
