/**
 * Validates values against schemas, which are compiled on first use, and converts a violation into
 * the `ApiError` named by the schema's notes.
 */

import { Compile } from 'typebox/compile';
import { nearest } from '../../config/nearest.ts';
import type { ErrorCode } from '../core/error-codes.ts';
import { ApiError } from '../core/errors.ts';
import { getOrCompute } from '../core/get-or-compute.ts';
import { isObject } from '../core/json.ts';
import { PREVIEW_LENGTH_MAX, preview } from '../core/preview.ts';
import { notesOf, type TSchema } from '../model/schemas/schema.ts';

type Check = (value: unknown) => boolean;

const checks = new WeakMap<TSchema, Check>();

function checkOf(schema: TSchema): Check {
  return getOrCompute(checks, schema, () => {
    const validator = Compile(schema);
    return (value) => validator.Check(value);
  });
}

interface SchemaParts {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly patternProperties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  /** Rules of `ruled`. */
  readonly '~refine'?: readonly {
    readonly check: (value: unknown) => boolean;
    readonly error: (value: unknown) => string;
  }[];
}
const partsOf = (schema: TSchema): SchemaParts => schema as SchemaParts;

interface Place {
  readonly path: string;
  readonly code: ErrorCode;
}

const named = (path: string): string => (path === '' ? 'The body' : `\`${path}\``);
const memberPath = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function mismatch(schema: TSchema, value: unknown, { path, code }: Place): ApiError {
  const { expects, isSecret = false } = notesOf(schema);
  const found = isSecret ? 'a value that is not shown' : preview(value);
  return new ApiError(code, `${named(path)} is ${found}, expected ${expects ?? 'something else'}.`);
}

function unknownMember(name: string, known: readonly string[], { path, code }: Place): ApiError {
  const place = named(memberPath(path, name).slice(0, PREVIEW_LENGTH_MAX));
  const allowed =
    known.length === 0 ? 'nothing' : `one of ${known.map((key) => `\`${key}\``).join(', ')}`;
  const meant = nearest(name, known);
  const message =
    meant === null
      ? `${place} is unknown here, expected ${allowed}.`
      : `${place} is unknown here, did you mean \`${meant}\`? Expected ${allowed}.`;
  return new ApiError(code, message);
}

function missingMember(name: string, member: TSchema, { path, code }: Place): ApiError {
  const { missing, expects } = notesOf(member);
  return new ApiError(
    missing ?? code,
    `\`${memberPath(path, name)}\` is missing${expects === undefined ? '' : `, expected ${expects}`}.`,
  );
}

function explainObject(
  schema: TSchema,
  value: Record<string, unknown>,
  place: Place,
): ApiError | null {
  const { properties = {}, required = [], additionalProperties } = partsOf(schema);
  // Avoids `Object.entries`: of a hundred thousand members the first is usually the wrong one.
  for (const name in value) {
    const item = value[name];
    const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (member === undefined) {
      if (additionalProperties === false)
        return unknownMember(name, Object.keys(properties), place);
    } else if (!checkOf(member)(item))
      return explain(member, item, memberPath(place.path, name), place.code);
  }
  const missing = required.find((name) => !Object.hasOwn(value, name));
  const member = missing === undefined ? undefined : properties[missing];
  return missing === undefined || member === undefined
    ? null
    : missingMember(missing, member, place);
}

function explainItems(
  item: TSchema,
  value: readonly unknown[],
  { path, code }: Place,
): ApiError | null {
  const check = checkOf(item);
  const at = value.findIndex((element) => !check(element));
  return at < 0 ? null : explain(item, value[at], `${path}[${at}]`, code);
}

function explainMap(
  item: TSchema,
  value: Record<string, unknown>,
  { path, code }: Place,
): ApiError | null {
  const check = checkOf(item);
  const entry = Object.entries(value).find(([, element]) => !check(element));
  return entry === undefined ? null : explain(item, entry[1], memberPath(path, entry[0]), code);
}

/** The error of the first rule that the value breaks; null for a value of another type. */
function explainRule(schema: TSchema, value: unknown, { code }: Place): ApiError | null {
  if (!hasShape(schema, value)) return null;
  const broken = partsOf(schema)['~refine']?.find(({ check }) => !check(value));
  return broken === undefined ? null : new ApiError(code, broken.error(value));
}

/** True for a text, object or array that the schema takes by its type. */
function hasShape(schema: TSchema, value: unknown): boolean {
  const { type } = partsOf(schema);
  if (typeof value === 'string') return type === 'string';
  return (type === 'object' && isObject(value)) || (type === 'array' && Array.isArray(value));
}

/** The alternative with the same shape as the value, if it is a text, object or array. */
const alternativeFor = (schema: TSchema, value: unknown): TSchema =>
  partsOf(schema).anyOf?.find((option) => hasShape(option, value)) ?? schema;

/**
 * The error of a refused value. @param inherited code of the nearest enclosing schema that has one
 */
function explain(schema: TSchema, value: unknown, path: string, inherited: ErrorCode): ApiError {
  const place: Place = { path, code: notesOf(schema).code ?? inherited };
  const shaped = alternativeFor(schema, value);
  const { properties, patternProperties, items } = partsOf(shaped);
  let inner: ApiError | null = null;
  if (isObject(value)) {
    const item = patternProperties && Object.values(patternProperties)[0];
    if (item !== undefined) inner = explainMap(item, value, place);
    else if (properties !== undefined) inner = explainObject(shaped, value, place);
  } else if (Array.isArray(value) && items !== undefined) inner = explainItems(items, value, place);
  return inner ?? explainRule(shaped, value, place) ?? mismatch(schema, value, place);
}

export const isValid = (schema: TSchema, value: unknown): boolean => checkOf(schema)(value);

/** The error of the first violation in the order of the members of an invalid value. */
export const violation = (schema: TSchema, value: unknown): ApiError =>
  explain(schema, value, '', 'bad_request');

/** @throws ApiError of the first violation */
export function validate(schema: TSchema, value: unknown): void {
  if (!isValid(schema, value)) throw violation(schema, value);
}
