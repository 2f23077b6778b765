/** The OpenAPI description says of each route what the route table says. */
import Type from 'typebox';
import { Compile } from 'typebox/schema';
import { describe, expect, it } from 'vitest';
import { errorsOf } from '../../../../src/api/contract/route.ts';
import {
  type MemberPlace,
  meaningKeyOf,
  meaningKeys,
  meaningOf,
  placeBelow,
} from '../../../../src/api/description/meaning-of.ts';
import { openApiOf, plainSchema } from '../../../../src/api/description/openapi.ts';
import { SEARCH_PARAMETERS } from '../../../../src/api/description/search-meanings.ts';
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
    // JSON Schema has no place for rules beyond shapes, whose errors name no expected value.
    const byShape = (check: () => void): void => {
      try {
        check();
      } catch (error) {
        if (/expected|missing/i.test((error as Error).message)) throw error;
      }
    };
    const compiled = new Map<string, ReturnType<typeof Compile>>();
    for (const { route: id, options } of routeErrorCases) {
      const schema = routes.find((route) => route.id === id)?.body;
      const described = operations.get(id)?.requestBody?.content['application/json']?.schema;
      if (schema === undefined || described === undefined || options.body === undefined) continue;
      const text = String(options.body);
      if (!isTaken(() => JSON.parse(text))) continue;
      const body: unknown = JSON.parse(text);
      const check = compiled.get(id) ?? Compile(described);
      compiled.set(id, check);
      expect(
        isTaken(() => check.Check(body)),
        `${id} ${text}`,
      ).toBe(isTaken(() => byShape(() => validate(schema, body))));
    }
  });
});

it('a schema loses its notes but keeps members that are called like them', () => {
  const schema = closed({
    code: Type.Optional(count('invalid_index_limit')),
    text: Type.String({ missing: 'missing_index_uid' }),
  });
  expect(plainSchema(schema, { family: 'none', parent: null })).toEqual({
    type: 'object',
    required: ['text'],
    additionalProperties: false,
    properties: {
      code: {
        type: 'integer',
        minimum: 0,
        maximum: 2 ** 64,
        description: meaningOf('code', { family: 'none', parent: null }),
      },
      text: { type: 'string' },
    },
  });
});

describe('the meanings of members', () => {
  interface Member {
    readonly properties?: Readonly<Record<string, Member>>;
    readonly patternProperties?: Readonly<Record<string, Member>>;
    readonly items?: Member;
    readonly anyOf?: readonly Member[];
    readonly description?: string;
  }
  interface Operation {
    readonly tags: readonly string[];
    readonly parameters: readonly { readonly name: string }[];
    readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Member }>> };
    readonly responses: Readonly<
      Record<string, { readonly content?: Readonly<Record<string, { schema?: Member }>> }>
    >;
  }

  type Place = MemberPlace & { readonly name: string };

  /** Places of all members below a schema. */
  const membersOf = (schema: Member | undefined, place: MemberPlace): Place[] => {
    if (schema === undefined) return [];
    const { properties = {}, patternProperties = {}, items, anyOf = [] } = schema;
    const found: Place[] = [];
    for (const [name, member] of Object.entries(properties))
      found.push({ name, ...place }, ...membersOf(member, placeBelow(name, place)));
    for (const inner of [...Object.values(patternProperties), ...anyOf])
      found.push(...membersOf(inner, place));
    return [...found, ...membersOf(items, place)];
  };

  const placesOf = ({ tags, parameters, requestBody, responses }: Operation) => {
    const [family = ''] = tags;
    const contents = [requestBody, ...Object.values(responses)].flatMap((part) =>
      Object.values(part?.content ?? {}),
    );
    return [
      ...parameters.map(({ name }) => ({ name, family, parent: null })),
      ...contents.flatMap(({ schema }) => membersOf(schema, { family, parent: null })),
    ];
  };

  const operations = Object.values(description.paths).flatMap((methods) => Object.values(methods));
  const places = (operations as unknown as Operation[]).flatMap(placesOf);

  it('stand in the tables for every member of every body, answer and address', () => {
    const missing = places.filter(({ name, ...place }) => meaningOf(name, place) === undefined);
    expect(
      new Set(missing.map(({ name, family, parent }) => `${family}:${parent}.${name}`)),
    ).toEqual(new Set());
  });

  it('are each used', () => {
    const used = new Set(places.map(({ name, ...place }) => meaningKeyOf(name, place)));
    used.add(meaningKeyOf('type', { family: 'error', parent: null }));
    const parameters = Object.keys(SEARCH_PARAMETERS);
    const unused = meaningKeys().filter(
      (key) => !used.has(key) && !parameters.includes(key.replace(/^.*:/, '')),
    );
    expect(unused).toEqual([]);
  });
});
