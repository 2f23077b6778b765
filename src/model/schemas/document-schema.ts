/** Schemas of the document routes. */
import Type, { type Static } from 'typebox';
import { limits } from '../../core/limits.ts';
import {
  anything,
  CustomMetadata,
  closed,
  count,
  flag,
  mapOf,
  names,
  optional,
  refused,
  text,
} from './schema.ts';

export const DocumentWriteQuery = closed({
  primaryKey: Type.Optional(text('invalid_index_primary_key')),
  csvDelimiter: Type.Optional(
    Type.String({
      pattern: '^[\\x00-\\x7f]$',
      code: 'invalid_document_csv_delimiter',
      expects: 'exactly one ASCII character',
    }),
  ),
  skipCreation: Type.Optional(
    Type.Boolean({
      code: 'invalid_skip_creation',
      expects: '`true` or `false`',
      text: 'anyCaseBoolean',
    }),
  ),
  customMetadata: CustomMetadata,
});
export type DocumentWriteQuery = Static<typeof DocumentWriteQuery>;

export const DocumentDeletionQuery = closed({ customMetadata: CustomMetadata });
export type DocumentDeletionQuery = Static<typeof DocumentDeletionQuery>;

const DOCUMENT_IDS = `an array of at most ${limits.documentIdsPerRequestMax} document ids`;

/** Ids to delete: strings; other JSON values are converted to their JSON text. */
export const DocumentIdList = Type.Array(Type.Unknown(), {
  code: 'bad_request',
  expects: DOCUMENT_IDS,
  maxItems: limits.documentIdsPerRequestMax,
});

export const DocumentDeletionBody = closed({
  filter: anything({ code: 'invalid_document_filter', missing: 'missing_document_filter' }),
});

export const DocumentEditBody = closed({
  function: Type.String({
    code: 'invalid_document_edition_function_filter',
    missing: 'missing_document_edition_function',
    expects: 'a string with the function',
  }),
  filter: Type.Optional(anything({ code: 'invalid_document_filter' })),
  context: optional(mapOf(anything(), 'invalid_document_edition_context', 'an object')),
});

const readMembers = {
  offset: Type.Optional(count('invalid_document_offset')),
  limit: Type.Optional(count('invalid_document_limit')),
  retrieveVectors: Type.Optional(flag('invalid_document_retrieve_vectors')),
  fields: optional(names('invalid_document_fields')),
  filter: Type.Optional(anything({ code: 'invalid_document_filter', text: 'jsonOrText' })),
  sort: optional(names('invalid_document_sort'), { text: 'sort' }),
  ids: optional(
    Type.Array(
      Type.Union([Type.String(), Type.Integer()], {
        code: 'invalid_document_ids',
        expects: 'a string or an integer',
      }),
      {
        maxItems: limits.documentIdsPerRequestMax,
        code: 'invalid_document_ids',
        expects: DOCUMENT_IDS,
        text: 'list',
      },
    ),
  ),
};

const noNetwork = Type.Optional(
  refused('invalid_document_use_network', 'no such parameter in this form of the request'),
);

export const DocumentsQueryString = closed({ ...readMembers, useNetwork: noNetwork });
export type DocumentsQueryString = Static<typeof DocumentsQueryString>;

export const DocumentsFetchBody = closed({
  ...readMembers,
  useNetwork: optional(flag('invalid_document_use_network')),
});
export type DocumentsFetchBody = Static<typeof DocumentsFetchBody>;

export const DocumentQueryString = closed({
  fields: readMembers.fields,
  retrieveVectors: readMembers.retrieveVectors,
  useNetwork: noNetwork,
});
