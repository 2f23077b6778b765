/** Schema of the facet search body; unknown members are ignored. */
import Type, { type Static } from 'typebox';
import { flag, optional, text } from './schema.ts';
import { SearchBody } from './search-schema.ts';

/** Search members that select the documents whose values are counted, and the values' order. */
export const FACET_SEARCH_MEMBERS = [
  'q',
  'filter',
  'matchingStrategy',
  'attributesToSearchOn',
  'rankingScoreThreshold',
  'locales',
  'vector',
  'hybrid',
  'media',
  'useNetwork',
  'sortFacetValuesBy',
] as const;

export const FacetSearchBody = Type.Object(
  {
    facetName: Type.String({
      code: 'invalid_facet_search_facet_name',
      missing: 'missing_facet_search_facet_name',
      expects: 'a string',
    }),
    facetQuery: optional(text('invalid_facet_search_query')),
    exhaustiveFacetCount: optional(flag('invalid_facet_search_exhaustive_facet_count')),
    ...Type.Pick(SearchBody, FACET_SEARCH_MEMBERS).properties,
  },
  { expects: 'an object' },
);
export type FacetSearchBody = Static<typeof FacetSearchBody>;
