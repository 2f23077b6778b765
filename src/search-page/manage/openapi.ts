/** Routes of an OpenAPI description, and example bodies for them. Pure. */
import { isObject, type Json, objectOf } from '../../core/json.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly about: string;
}

export interface Operation {
  readonly id: string;
  readonly method: Uppercase<(typeof METHODS)[number]>;
  readonly path: string;
  readonly summary: string;
  readonly group: string;
  readonly parameters: readonly Parameter[];
  /** null = the route takes no body. */
  readonly example: string | null;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** @param description the answer of `GET /openapi.json` */
export function operationsOf(description: Json): readonly Operation[] {
  const schemas = objectOf(objectOf(description['components'])['schemas']);
  return Object.entries(objectOf(description['paths'])).flatMap(([path, routes]) =>
    METHODS.flatMap((method) => {
      const route = objectOf(routes)[method];
      return isObject(route) ? [operationOf(method, path, route, schemas)] : [];
    }),
  );
}

function operationOf(method: string, path: string, route: Json, schemas: Json): Operation {
  const content = objectOf(objectOf(route['requestBody'])['content']);
  const body = content['application/json'];
  return {
    id: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase() as Operation['method'],
    path,
    summary: textOf(route['summary']),
    group: textOf(listOf(route['tags'])[0]),
    parameters: listOf(route['parameters']).map((given) => {
      const { name, in: place, description, schema } = objectOf(given);
      return {
        name: textOf(name),
        in: place === 'path' ? 'path' : 'query',
        about: textOf(description) || textOf(objectOf(schema)['description']),
      };
    }),
    example: isObject(body) ? JSON.stringify(exampleOfMedia(body, schemas), null, 2) : null,
  };
}

function exampleOfMedia({ example, examples, schema }: Json, schemas: Json): unknown {
  if (example !== undefined) return example;
  const [first] = Object.values(objectOf(examples));
  return isObject(first) && 'value' in first ? first['value'] : exampleOf(schema, schemas);
}

const SAMPLES: Readonly<Record<string, unknown>> = {
  string: '',
  integer: 0,
  number: 0,
  boolean: true,
  null: null,
};
const DEPTH_MAX = 6;

/** A value with the example of the schema, or its required members. */
export function exampleOf(schema: unknown, schemas: Json, depth = 0): unknown {
  if (!isObject(schema) || depth > DEPTH_MAX) return {};
  const { $ref: ref, example, examples, enum: values, anyOf, oneOf, type } = schema;
  if (typeof ref === 'string')
    return exampleOf(schemas[ref.replace(/^.*\//, '')], schemas, depth + 1);
  if (example !== undefined) return example;
  for (const list of [examples, values]) if (listOf(list).length > 0) return listOf(list)[0];
  for (const list of [anyOf, oneOf])
    if (listOf(list).length > 0) return exampleOf(listOf(list)[0], schemas, depth + 1);
  if (type === 'array') return [exampleOf(schema['items'], schemas, depth + 1)];
  if (typeof type === 'string' && type in SAMPLES) return SAMPLES[type];
  const properties = objectOf(schema['properties']);
  return Object.fromEntries(
    listOf(schema['required']).map((name) => [
      String(name),
      exampleOf(properties[String(name)], schemas, depth + 1),
    ]),
  );
}

/** The path of a request. Empty query parameters are left out. */
export function requestPath(
  { path, parameters }: Operation,
  given: Readonly<Record<string, string>>,
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(given[name] ?? ''),
  );
  const query = new URLSearchParams();
  for (const { name, in: place } of parameters)
    if (place === 'query' && (given[name] ?? '') !== '') query.set(name, given[name] ?? '');
  return `${filled.slice(1)}${query.size === 0 ? '' : `?${query}`}`;
}
