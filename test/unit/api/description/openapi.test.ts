/** The OpenAPI description says of each route what the route table says. */
import Type from 'typebox';
import { Compile } from 'typebox/schema';
import { describe, expect, it } from 'vitest';
import { errorsOf } from '../../../../src/api/contract/route.ts';
import { openApiOf, plainSchema } from '../../../../src/api/description/openapi.ts';
import { routes } from '../../../../src/api/routes/index.ts';
import { validate } from '../../../../src/http/validator.ts';
import { closed, count } from '../../../../src/model/schemas/schema.ts';
import { routeErrorCases } from '../../../support/route-error-cases.ts';

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: object }> };
  readonly responses: Record<string, { readonly description: string }>;
  readonly security: readonly Record<string, readonly string[]>[];
}

const description = JSON.parse(JSON.stringify(openApiOf(routes, '1.2.3'))) as {
  readonly info: object;
  readonly paths: Record<string, Record<string, Operation>>;
};
const operations = new Map(
  Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [
      operation.operationId,
      { ...operation, at: `${method.toUpperCase()} ${path}` },
    ]),
  ),
);

describe('the description', () => {
  it('has every route at its method and path, with its action and all its error codes', () => {
    expect([...operations.keys()].sort()).toEqual(routes.map(({ id }) => id).sort());
    for (const route of routes) {
      const operation = operations.get(route.id);
      expect(operation?.at).toBe(`${route.method} ${route.path.replace(/:(\w+)/g, '{$1}')}`);
      expect(operation?.security).toEqual(route.action === null ? [] : [{ key: [route.action] }]);
      const codes = Object.entries(operation?.responses ?? {}).flatMap(([status, response]) =>
        Number(status) < 400 ? [] : response.description.split(', '),
      );
      expect(codes.sort(), route.id).toEqual([...errorsOf(route)].sort());
    }
  });

  it('takes and refuses the bodies that the routes take and refuse by their shape', () => {
    const isTaken = (run: () => unknown): boolean => {
      try {
        return run() !== false;
      } catch {
        return false;
      }
    };
    for (const { route: id, options } of routeErrorCases) {
      const schema = routes.find((route) => route.id === id)?.body;
      const described = operations.get(id)?.requestBody?.content['application/json']?.schema;
      if (schema === undefined || described === undefined || options.body === undefined) continue;
      const text = String(options.body);
      if (!isTaken(() => JSON.parse(text))) continue;
      const body: unknown = JSON.parse(text);
      expect(
        isTaken(() => Compile(described).Check(body)),
        `${id} ${text}`,
      ).toBe(isTaken(() => validate(schema, body)));
    }
  });
});

it('a schema loses its notes but keeps members that are called like them', () => {
  const schema = closed({
    code: Type.Optional(count('invalid_index_limit')),
    text: Type.String({ missing: 'missing_index_uid' }),
  });
  expect(plainSchema(schema)).toEqual({
    type: 'object',
    required: ['text'],
    additionalProperties: false,
    description: 'an object',
    properties: {
      code: {
        type: 'integer',
        minimum: 0,
        maximum: 2 ** 64,
        description: 'a non-negative integer',
      },
      text: { type: 'string' },
    },
  });
});
