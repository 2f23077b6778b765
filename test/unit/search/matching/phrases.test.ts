/** Goal: a phrase is looked for in the living copy of a document only. */
import { expect, it } from 'vitest';
import { Deadline } from '../../../../src/core/deadline.ts';
import { DEFAULT_SEARCH_REQUEST } from '../../../../src/model/search.ts';
import { executeSearch } from '../../../../src/search/execute-search.ts';
import { buildPlacedSnapshot, type PlacedDocument } from '../../../support/build-snapshot.ts';

const UPDATED = 40;

const copy = (docId: number, text: string, isDead = false): PlacedDocument => ({
  docId,
  isDead,
  document: { id: docId, text },
});

it('does not match a document whose former copy had it', () => {
  // Many documents have two of the words, so that the pair is looked for in those with all three.
  const others = Array.from({ length: UPDATED }, (_, docId) => copy(docId, 'alpha beta'));
  const found = (living: string): number[] => {
    const snapshot = buildPlacedSnapshot({
      segments: [[...others, copy(UPDATED, 'rare alpha beta', true)], [copy(UPDATED, living)]],
    });
    const request = { ...DEFAULT_SEARCH_REQUEST, q: '"rare alpha beta"' };
    return executeSearch(snapshot, request, Deadline.never()).documents.map(({ doc }) => doc);
  };
  expect(found('rare alpha beta')).toEqual([UPDATED]);
  expect(found('rare alpha, then rare or beta')).toEqual([]);
});
