/** Relevance in hybrid search, and in merged lists of several indexes (relevance.md 7.3, 7.6). */
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../../src/core/deadline.ts';
import { DEFAULT_SEARCH_REQUEST } from '../../../src/model/search.ts';
import { executeSearch } from '../../../src/search/execute-search.ts';
import { buildSnapshot } from '../../support/build-snapshot.ts';
import { multiSearchOver } from '../../support/multi-search.ts';

const questions = { matchingStrategy: 'any', rankingRules: ['relevance'] } as const;

describe('a hybrid search with strategy any', () => {
  const documents = [
    { id: 0, text: 'steel melts at a high temperature', _vectors: { e: [0, 1] } },
    { id: 1, text: 'lead melts early', _vectors: { e: [1, 0] } },
    { id: 2, text: 'paper burns', _vectors: { e: [0.9, 0.4] } },
  ];
  const embedders = { e: { source: 'userProvided', dimensions: 2 } } as const;
  const snapshot = buildSnapshot({ documents, settings: { ...questions, embedders } });
  const found = (ratio: number) => {
    const request = {
      ...DEFAULT_SEARCH_REQUEST,
      q: 'at which temperature does steel melt ',
      matchingStrategy: 'any' as const,
      semantic: { embedder: 'e', ratio, vector: Float32Array.of(1, 0) },
    };
    const { documents: ranked, semanticHitCount } = executeSearch(
      snapshot,
      request,
      Deadline.never(),
    );
    return { ids: ranked.map(({ doc }) => doc), semanticHitCount };
  };

  it('adds documents with some words of a sentence to the semantic hits', () => {
    expect(found(0.1)).toEqual({ ids: [0, 1, 2], semanticHitCount: 2 });
    expect(found(0.9)).toEqual({ ids: [1, 2, 0], semanticHitCount: 3 });
  });
});

describe('searches of several indexes', () => {
  const notes = {
    documents: [
      { id: 1, text: 'the ferry leaves at noon' },
      { id: 2, text: 'the museum is closed' },
      { id: 3, text: 'tickets for the ferry are sold on board' },
    ],
    settings: questions,
  };
  const letters = {
    documents: [
      { id: 4, text: 'when does the ferry leave' },
      { id: 5, text: 'a letter' },
    ],
    settings: questions,
  };
  const plain = { ...notes, settings: { rankingRules: ['relevance'] } };
  const q = 'when does the ferry leave ';
  const several = multiSearchOver({ notes, letters, plain });

  it('use the strategy of each index when a query names none', async () => {
    const { results } = await several.apart([
      { indexUid: 'notes', q },
      { indexUid: 'plain', q },
      { indexUid: 'plain', q, matchingStrategy: 'any' },
    ]);
    const ids = results.map(({ hits }) => hits.map(({ id }) => id));
    expect(ids).toEqual([[1, 3], [], [1, 3]]);
  });

  it('are merged by their scores multiplied by weights', async () => {
    const { hits } = await several.merged([
      { indexUid: 'notes', q },
      { indexUid: 'letters', q },
    ]);
    expect(hits.map(({ id }) => id)).toEqual([4, 1, 3]);
    const weighted = await several.merged([
      { indexUid: 'notes', q, federationOptions: { weight: 10 } },
      { indexUid: 'letters', q },
    ]);
    expect(weighted.hits.map(({ id }) => id)).toEqual([1, 4, 3]);
  });
});
