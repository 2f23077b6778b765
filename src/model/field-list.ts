/**
 * The list of an index's fields: filters of the list, and the description of a field (api.md 27.4).
 */
import Type, { type Static } from 'typebox';
import type { ErrorCode } from '../core/error-codes.ts';
import { closed, count, flag, names, optional } from './schemas/schema.ts';

/** Field properties from settings; filters of the list use them. */
export const FIELD_TRAITS = [
  'displayed',
  'searchable',
  'sortable',
  'distinct',
  'rankingRule',
  'filterable',
] as const;
type FieldTrait = (typeof FIELD_TRAITS)[number];

const trait = (code: ErrorCode) => optional(flag(code));

const FieldListFilter = closed(
  {
    attributePatterns: optional(names('invalid_index_fields_filter_attribute_patterns')),
    displayed: trait('invalid_index_fields_filter_displayed'),
    searchable: trait('invalid_index_fields_filter_searchable'),
    sortable: trait('invalid_index_fields_filter_sortable'),
    distinct: trait('invalid_index_fields_filter_distinct'),
    rankingRule: trait('invalid_index_fields_filter_ranking_rule'),
    filterable: trait('invalid_index_fields_filter_filterable'),
  },
  { code: 'invalid_index_fields_filter' },
);

export const FieldListBody = closed({
  offset: Type.Optional(count('invalid_index_offset')),
  limit: Type.Optional(count('invalid_index_limit')),
  filter: optional(FieldListFilter),
});

export interface FieldListRequest {
  readonly offset: number;
  readonly limit: number;
  readonly filter: Static<typeof FieldListFilter>;
}

/** `enabled` of each property, and further settings. */
export type FieldDescription = {
  readonly [Trait in FieldTrait]: { readonly enabled: boolean };
} & {
  /** Dotted path. */
  readonly name: string;
  readonly rankingRule: { readonly enabled: boolean; readonly order?: 'asc' | 'desc' };
  readonly filterable: {
    readonly enabled: boolean;
    readonly sortBy: 'alpha' | 'count';
    readonly facetSearch: boolean;
    readonly equality: boolean;
    readonly comparison: boolean;
  };
  /** ISO 639-3. */
  readonly localized: { readonly locales: readonly string[] };
};
