/**
 * Schemas of the routes for similar documents: the JSON body of POST and the query string of GET.
 */
import Type, { type Static } from 'typebox';
import { anything, closed, count, flag, names, optional, ratio } from './schema.ts';

const commonMembers = {
  embedder: Type.String({
    code: 'invalid_similar_embedder',
    missing: 'bad_request',
    expects: 'the name of an embedder',
  }),
  offset: Type.Optional(count('invalid_similar_offset')),
  limit: Type.Optional(count('invalid_similar_limit')),
  filter: Type.Optional(anything({ code: 'invalid_similar_filter', text: 'jsonOrText' })),
  attributesToRetrieve: optional(names('invalid_similar_attributes_to_retrieve')),
  retrieveVectors: Type.Optional(flag('invalid_similar_retrieve_vectors')),
  showRankingScore: Type.Optional(flag('invalid_similar_show_ranking_score')),
  showRankingScoreDetails: Type.Optional(flag('invalid_similar_show_ranking_score_details')),
  showPerformanceDetails: Type.Optional(flag('invalid_similar_show_performance_details')),
  rankingScoreThreshold: optional(ratio('invalid_similar_ranking_score_threshold')),
};

const ID_NOTES = {
  code: 'invalid_similar_id',
  missing: 'bad_request',
  expects: 'the id of a document',
} as const;

export const SimilarBody = closed({
  ...commonMembers,
  /** Checked after all else: its faults are reported last. */
  id: anything({ ...ID_NOTES, expects: 'the id of a document, a string or an integer' }),
});
export type SimilarBody = Static<typeof SimilarBody>;

export const SimilarQueryString = closed({
  ...commonMembers,
  id: Type.String(ID_NOTES),
});
export type SimilarQueryString = Static<typeof SimilarQueryString>;
