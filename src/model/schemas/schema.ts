/**
 * Start here for the `*-schema.ts` files: builders for the TypeBox schemas of the public API. Each
 * schema has notes: the error code of a violation, the accepted values in words, and the
 * query-string form.
 */
import Type, { type Static, type TProperties, type TSchema } from 'typebox';
import type { ErrorCode } from '../../core/error-codes.ts';
import { isObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';

/** Conversion of a query-string value to the JSON value that the schema checks. */
export type TextForm =
  | 'integer'
  | 'number'
  | 'boolean'
  | 'anyCaseBoolean'
  | 'list'
  | 'numbers'
  | 'jsonOrText'
  | 'sort';

interface SchemaNotes {
  /**
   * Error code of a wrong type or value, of an unknown member, and of nested violations without a
   * code of their own.
   */
  readonly code?: ErrorCode;
  /** Error code of an absent required member. */
  readonly missing?: ErrorCode;
  /** Completes the sentence "expected …". */
  readonly expects?: string;
  /** Absent = the value itself. */
  readonly text?: TextForm;
  /** No message shows a value. */
  readonly isSecret?: boolean;
}

export const notesOf = (schema: TSchema): SchemaNotes => schema as SchemaNotes;

const PARTS = ['properties', 'patternProperties', 'items', 'anyOf'] as const;

/** The error codes in the notes of a schema and of all schemas inside it. */
export function codesOf(schema: unknown): ErrorCode[] {
  if (!isObject(schema)) return [];
  const { code, missing } = notesOf(schema as TSchema);
  const inner = PARTS.flatMap((part) =>
    part === 'items' ? [schema[part]] : Object.values(schema[part] ?? {}),
  );
  return [code, missing].filter((found) => found !== undefined).concat(inner.flatMap(codesOf));
}

export const closed = <P extends TProperties>(properties: P, notes: SchemaNotes = {}) =>
  Type.Object(properties, { expects: 'an object', ...notes, additionalProperties: false });

/** The schema, or null. @param own replace the notes of the schema */
export const nullable = <T extends TSchema>(schema: T, own: SchemaNotes = {}) => {
  const { code, expects, text, isSecret } = { ...notesOf(schema), ...own };
  const notes = { code, expects: `${expects} or null`, text, isSecret };
  return Type.Union([schema, Type.Null()], notes);
};

/** An optional member that may be null; what null means is said where it is used. */
export const optional = <T extends TSchema>(schema: T, own?: SchemaNotes) =>
  Type.Optional(nullable(schema, own));

/** The schema with a rule. @param problem a sentence about a refused value; null = it is valid */
export const ruled = <T extends TSchema>(schema: T, problem: (value: Static<T>) => string | null) =>
  Type.Refine(
    schema,
    (value: Static<T>) => problem(value) === null,
    (value: Static<T>) => problem(value) ?? '',
  );

export const text = (code: ErrorCode, expects = 'a string') => Type.String({ code, expects });
export const shortText = (code: ErrorCode, maxLength: number) =>
  Type.String({ maxLength, code, expects: `a string of at most ${maxLength} characters` });
/** A query parameter that takes any text. */
export const CustomMetadata = Type.Optional(Type.String({ expects: 'a string' }));
/** Appears many times in one answer. */
export const mark = (code: ErrorCode) => shortText(code, limits.markLengthMax);
export const flag = (code: ErrorCode) =>
  Type.Boolean({ code, expects: '`true` or `false`', text: 'boolean' });
export const integer = (code: ErrorCode, minimum: number, maximum: number) =>
  Type.Integer({
    minimum,
    maximum,
    code,
    expects: `an integer from ${minimum} to ${maximum}`,
    text: 'integer',
  });
/** An integer of up to 64 bits; beyond 2^53 rounded to the nearest double. */
export const count = (code: ErrorCode, minimum = 0) =>
  Type.Integer({
    minimum,
    maximum: 2 ** 64,
    code,
    expects: minimum === 0 ? 'a non-negative integer' : `an integer of at least ${minimum}`,
    text: 'integer',
  });
export const ratio = (code: ErrorCode) =>
  Type.Number({
    code,
    minimum: 0,
    maximum: 1,
    expects: 'a number from 0.0 to 1.0',
    text: 'number',
  });
export const oneOf = <const V extends string[]>(values: readonly [...V], code: ErrorCode) =>
  Type.Enum<V>([...values], {
    code,
    expects: `one of ${values.map((value) => `\`${value}\``).join(', ')}`,
  });
export const strings = (code: ErrorCode) =>
  Type.Array(Type.String({ code, expects: 'a string' }), {
    code,
    expects: 'an array of strings',
    text: 'list',
  });

export const names = (code: ErrorCode) =>
  Type.Array(Type.String({ code, expects: 'a string' }), {
    maxItems: limits.namesPerListMax,
    contains: Type.String({ pattern: '\\*' }),
    minContains: 0,
    maxContains: limits.patternsPerListMax,
    code,
    expects: `an array of at most ${limits.namesPerListMax} strings, ${limits.patternsPerListMax} of them with \`*\``,
    text: 'list',
  });

export const anything = (notes: SchemaNotes = {}) => Type.Unknown({ ...notes });

/** A map with arbitrary keys; unlike a plain record it also checks keys with line breaks. */
export const mapOf = <V extends TSchema>(value: V, code: ErrorCode, expects: string) =>
  Type.Record(Type.String({ pattern: '^[\\s\\S]*$' }), value, { code, expects });

/** A known member that is refused here. */
export const refused = (code: ErrorCode, expects: string) => Type.Never({ code, expects });

const identifier = (lengthMax: number) => ({
  pattern: `^[A-Za-z0-9_-]{1,${lengthMax}}$`,
  expects: `1 to ${lengthMax} characters out of \`A-Z a-z 0-9 _ -\``,
});

export const INDEX_UID = identifier(limits.indexUidBytesMax);
export const DOCUMENT_ID = identifier(limits.documentIdBytesMax);

export const IndexUid = Type.String({ ...INDEX_UID, code: 'invalid_index_uid' });

const INDEX_UIDS = new RegExp(INDEX_UID.pattern);
const DOCUMENT_IDS = new RegExp(DOCUMENT_ID.pattern);

export const isIndexUid = (value: string): boolean => INDEX_UIDS.test(value);
export const isDocumentId = (value: string): boolean => DOCUMENT_IDS.test(value);

export type { TSchema };
