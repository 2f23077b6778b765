/** Schemas of an embedder in a settings update, by its place. Absent members stay unchanged. */
import Type, { type TSchema } from 'typebox';
import { limits } from '../../core/limits.ts';
import type { EmbedderUpdate } from '../embedders/embedder-check.ts';
import {
  COMPOSITE_PARTS,
  EMBEDDER_FIELDS,
  type EmbedderField,
  type EmbedderPlace,
  POOLINGS,
  sourcesIn,
} from '../embedders/embedder-settings.ts';
import {
  anything,
  closed,
  count,
  flag,
  integer,
  mapOf,
  nullable,
  oneOf,
  optional,
  ratio,
  text,
} from './schema.ts';

const CODE = 'invalid_settings_embedders';
const FRAGMENTS_MAX = 256;

const fragments = () => ({
  ...mapOf(
    nullable(closed({ value: anything() }, { code: CODE, expects: '`{"value": …}`' })),
    CODE,
    `an object of at most ${FRAGMENTS_MAX} fragments, each \`{"value": …}\` or null`,
  ),
  maxProperties: FRAGMENTS_MAX,
});

/** Names and values (Latin 1) that HTTP allows. */
export const ProviderHeaders = Type.Record(
  Type.String({ pattern: "^[!#$%&'*+.^_`|~\\w-]+$" }),
  Type.String({
    pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$',
    expects: 'a string without control characters',
    isSecret: true,
  }),
  {
    additionalProperties: false,
    expects: 'an object of HTTP headers',
    isSecret: true,
  },
);

type OwnField = Exclude<EmbedderField, (typeof COMPOSITE_PARTS)[number]>;

const ownFields: Readonly<Record<OwnField, TSchema>> = {
  model: text(CODE),
  revision: text(CODE),
  pooling: oneOf(POOLINGS, CODE),
  apiKey: { ...text(CODE), isSecret: true },
  dimensions: integer(CODE, 1, limits.vectorDimensionsMax),
  documentTemplate: text(CODE),
  documentTemplateMaxBytes: count(CODE, 1),
  url: text(CODE),
  request: anything({ expects: 'JSON' }),
  response: anything({ expects: 'JSON' }),
  headers: ProviderHeaders,
  indexingFragments: fragments(),
  searchFragments: fragments(),
  distribution: closed(
    {
      mean: ratio(CODE),
      sigma: Type.Number({
        exclusiveMinimum: 0,
        maximum: 1,
        expects: 'a number above 0 and up to 1',
      }),
    },
    { expects: '`{"mean": number from 0 to 1, "sigma": number above 0 and up to 1}`' },
  ),
  binaryQuantized: flag(CODE),
};

/** Null resets a member. */
const membersIn = (place: EmbedderPlace, fields: Readonly<Record<string, TSchema>>) =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => !EMBEDDER_FIELDS[name as EmbedderField].notIn?.includes(place))
      .map(([name, schema]) => [name, optional(schema, { code: CODE })]),
  );

const nested = (place: EmbedderPlace) =>
  closed(
    { source: oneOf([...sourcesIn(place)], CODE), ...membersIn(place, ownFields) },
    { code: CODE },
  );

export const EmbedderUpdateSchema = Type.Unsafe<EmbedderUpdate>(
  closed(
    {
      source: optional(oneOf([...sourcesIn('whole')], CODE), { expects: 'a source' }),
      ...membersIn('whole', {
        ...ownFields,
        ...Object.fromEntries(COMPOSITE_PARTS.map((place) => [place, nested(place)])),
      }),
    },
    { code: CODE },
  ),
);
