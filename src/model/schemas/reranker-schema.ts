/** Schema of a reranker in a settings update. Absent members stay unchanged, null resets one. */
import Type, { type TSchema } from 'typebox';
import {
  RERANKER_SOURCES,
  RERANKER_TEXT_BYTES_MAX,
  RERANKER_TIMEOUT_MS_MAX,
  type RerankerField,
} from '../reranker-settings.ts';
import { ProviderHeaders } from './embedder-schema.ts';
import { anything, closed, notesOf, nullable, oneOf, text } from './schema.ts';

const CODE = 'invalid_settings_rerankers';

const wholeUpTo = (maximum: number, what: string): TSchema =>
  Type.Integer({ minimum: 1, maximum, expects: `an integer from 1 to ${maximum}${what}` });

const fields: Readonly<Record<RerankerField, TSchema>> = {
  url: text(CODE),
  apiKey: { ...text(CODE), isSecret: true },
  model: text(CODE),
  revision: text(CODE),
  request: anything({ expects: 'JSON' }),
  response: anything({ expects: 'JSON' }),
  headers: ProviderHeaders,
  documentTemplate: text(CODE),
  documentTemplateMaxBytes: wholeUpTo(RERANKER_TEXT_BYTES_MAX, ''),
  timeoutMs: wholeUpTo(RERANKER_TIMEOUT_MS_MAX, ' milliseconds'),
};

const members = Object.fromEntries(
  Object.entries(fields).map(([name, schema]) => {
    const { expects = 'an object', isSecret = false } = notesOf(schema);
    return [name, Type.Optional({ ...nullable(schema, CODE, expects), isSecret })];
  }),
);

/** A reranker as its schema allows. */
export type RerankerUpdate = Readonly<Record<string, unknown>>;

export const RerankerUpdateSchema = Type.Unsafe<RerankerUpdate>(
  closed({ source: Type.Optional(oneOf([...RERANKER_SOURCES], CODE)), ...members }, { code: CODE }),
);
