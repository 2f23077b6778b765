/** Schema of a reranker in a settings update. Absent members stay unchanged, null resets one. */
import Type, { type TSchema } from 'typebox';
import {
  RERANKER_SOURCES,
  RERANKER_TEXT_BYTES_MAX,
  RERANKER_TIMEOUT_MS_MAX,
  type RerankerField,
} from '../reranker-settings.ts';
import { ProviderHeaders } from './embedder-schema.ts';
import { anything, closed, integer, oneOf, optional, text } from './schema.ts';

const CODE = 'invalid_settings_rerankers';

const fields: Readonly<Record<RerankerField, TSchema>> = {
  url: text(CODE),
  apiKey: { ...text(CODE), isSecret: true },
  model: text(CODE),
  revision: text(CODE),
  request: anything({ expects: 'JSON' }),
  response: anything({ expects: 'JSON' }),
  headers: ProviderHeaders,
  documentTemplate: text(CODE),
  documentTemplateMaxBytes: integer(CODE, 1, RERANKER_TEXT_BYTES_MAX),
  timeoutMs: integer(CODE, 1, RERANKER_TIMEOUT_MS_MAX),
};

const members = Object.fromEntries(
  Object.entries(fields).map(([name, schema]) => [name, optional(schema, { code: CODE })]),
);

export type RerankerUpdate = Readonly<Record<string, unknown>>;

export const RerankerUpdateSchema = Type.Unsafe<RerankerUpdate>(
  closed({ source: Type.Optional(oneOf([...RERANKER_SOURCES], CODE)), ...members }, { code: CODE }),
);
