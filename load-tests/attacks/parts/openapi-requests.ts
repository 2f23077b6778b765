/**
 * Random requests made of an OpenAPI description: for every operation values that its schemas allow,
 * values that they do not, and what no schema thinks of.
 */

type Json = Readonly<Record<string, unknown>>;

export interface MadeRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Operation {
  readonly method: string;
  readonly template: string;
  readonly parameters: readonly Json[];
  readonly content: Json;
}

/** Streams that do not end, and what would take the log away from who looks at it. */
const LEFT_OUT = ['/tasks/stream', '/batches/stream', '/logs/stream'];
const TEXTS = [
  ...['', ' ', 'a', 'films', '*', '**', 'id', '_geo', '_vectors', 'title:asc', '\u0000', '\ud800'],
  ...[
    '__proto__',
    'constructor',
    '../../etc/passwd',
    '%00',
    "' OR 1=1",
    '{{doc.title}}',
    '"',
    '\\',
  ],
  ...[
    'title = a',
    'title = a OR id > 1',
    'id IN [1, 2',
    '((((((((',
    'NOT NOT NOT a',
    '_geoRadius(1,2,3)',
  ],
  ...['2020-01-01T00:00:00Z', '2020-99-99', 'PT1S', 'İ', '日本語', '🏳️‍🌈', 'x'.repeat(5000)],
];
const NUMBERS = [0, 1, -1, 0.5, -0, 20, 1e9, 2 ** 31, 2 ** 53, 2 ** 53 + 2, -1e300, 1e300];
const DEPTH_MAX = 6;

export class RequestMaker {
  readonly #operations: readonly Operation[];
  readonly #random: () => number;

  /** @param document of `GET /openapi.json` */
  constructor(document: unknown, random: () => number) {
    this.#random = random;
    const { paths } = document as { readonly paths: Readonly<Record<string, Json>> };
    this.#operations = Object.entries(paths)
      .filter(([template]) => !LEFT_OUT.includes(template))
      .flatMap(([template, methods]) =>
        Object.entries(methods).map(([method, operation]) => {
          const { parameters = [], requestBody } = operation as {
            readonly parameters?: readonly Json[];
            readonly requestBody?: { readonly content: Json };
          };
          const content = requestBody?.content ?? {};
          return { method: method.toUpperCase(), template, parameters, content };
        }),
      );
  }

  get operationCount(): number {
    return this.#operations.length;
  }

  next(): MadeRequest {
    const { method, template, parameters, content } = this.#pick(this.#operations);
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(this.#segment(name)),
    );
    const query = parameters
      .filter((parameter) => parameter['in'] === 'query' && this.#chance(0.3))
      .map(({ name, schema }) => `${name}=${encodeURIComponent(this.#text(schema))}`);
    const search = query.length === 0 ? '' : `?${query.join('&')}`;
    const types = Object.keys(content);
    if (types.length === 0) return { method, path: `${path}${search}`, headers: {} };
    const type = this.#pick(types);
    const { schema } = content[type] as { readonly schema: unknown };
    return {
      method,
      path: `${path}${search}`,
      headers: { 'content-type': this.#chance(0.02) ? 'text/plain' : type },
      body: this.#body(type, schema),
    };
  }

  /** Wellformed as a URL; half of those that name something name what exists. */
  #segment(name: string): string {
    if (this.#chance(0.6)) return name === 'indexUid' ? this.#pick(['films', 'books']) : '1';
    return this.#pick(TEXTS).replaceAll('\ud800', '') || 'a';
  }

  #text(schema: unknown): string {
    const value = this.#value(schema, 0);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return (text ?? '').replaceAll('\ud800', '').slice(0, 2000);
  }

  #body(type: string, schema: unknown): string {
    if (this.#chance(0.03))
      return this.#pick(['', '{', '[', 'null', '1', '[[[[', '{"a":1}garbage']);
    const text = JSON.stringify(this.#value(schema, 0)) ?? 'null';
    if (type === 'text/csv') return `id,title\n1,${this.#pick(TEXTS).slice(0, 50)}\n`;
    return type === 'application/x-ndjson' ? `${text}\n${text}` : text;
  }

  #value(schema: unknown, depth: number): unknown {
    if (this.#chance(0.06) || depth > DEPTH_MAX) return this.#anything();
    const shape = (typeof schema === 'object' && schema !== null ? schema : {}) as Json;
    const { type, anyOf, enum: values, const: only, items, properties, patternProperties } = shape;
    if (Array.isArray(values)) return this.#pick(values);
    if (only !== undefined) return only;
    if (Array.isArray(anyOf)) return this.#value(this.#pick(anyOf), depth + 1);
    switch (type) {
      case 'object':
        return this.#object(shape, properties as Json, patternProperties as Json, depth);
      case 'array':
        return this.#list(items, depth);
      case 'string':
        return this.#string(shape);
      case 'integer':
      case 'number':
        return this.#pick(NUMBERS);
      case 'boolean':
        return this.#chance(0.5);
      case 'null':
        return null;
      default:
        return this.#anything();
    }
  }

  #object(shape: Json, properties: Json = {}, patterns: Json = {}, depth: number): Json {
    const { required = [] } = shape as { readonly required?: readonly string[] };
    const members: Record<string, unknown> = {};
    for (const [name, schema] of Object.entries(properties)) {
      if (required.includes(name) ? this.#chance(0.95) : this.#chance(0.25))
        members[name] = this.#value(schema, depth + 1);
    }
    const [inner] = Object.values(patterns);
    if (inner !== undefined)
      members[this.#pick(['films', 'title', 'e', ...TEXTS.slice(0, 20)])] = this.#value(
        inner,
        depth + 1,
      );
    if (Object.keys(properties).length === 0 && inner === undefined)
      Object.assign(members, { id: this.#pick([1, 2, 'a', ...TEXTS]), title: this.#pick(TEXTS) });
    if (this.#chance(0.02)) members[this.#pick(TEXTS)] = this.#anything();
    return members;
  }

  #list(items: unknown, depth: number): unknown[] {
    const length = this.#chance(0.02) ? 300 : Math.floor(this.#random() * 4);
    return Array.from({ length }, () => this.#value(items, depth + 1));
  }

  #string({ pattern }: Json): string {
    const text = this.#pick(TEXTS);
    if (typeof pattern !== 'string' || this.#chance(0.2)) return text;
    return this.#pick(['films', 'books', '6062abda-a5aa-4414-ac91-ecd7944c0f8d', 'a']);
  }

  #anything(): unknown {
    const kind = Math.floor(this.#random() * 7);
    if (kind === 0) return null;
    if (kind === 1) return this.#chance(0.5);
    if (kind === 2) return this.#pick(NUMBERS);
    if (kind === 3) return this.#pick(TEXTS);
    if (kind === 4) return [this.#pick(TEXTS), this.#pick(NUMBERS)];
    if (kind === 5) return { [this.#pick(TEXTS)]: this.#pick(TEXTS) };
    return nested(Math.floor(this.#random() * 200));
  }

  #pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.#random() * values.length)] as T;
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}
