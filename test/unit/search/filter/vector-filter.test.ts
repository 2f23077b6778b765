/** The filter `_vectors`: documents by the vectors they have. */
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../../src/core/errors.ts';
import type { EmbedderSettings } from '../../../../src/model/embedders/embedder-settings.ts';
import { selectStored } from '../../../../src/search/filter/filter-evaluator.ts';
import { buildPlacedSnapshot } from '../../../support/build-snapshot.ts';
import { searchIds } from '../../../support/search.ts';

const FRAGMENT = { value: '{{doc.t}}' };
const embedders: Record<string, EmbedderSettings> = {
  own: { source: 'userProvided', dimensions: 2 },
  made: { source: 'openAi', dimensions: 2 },
  one: { source: 'rest', dimensions: 2, indexingFragments: { t: FRAGMENT } },
  two: { source: 'rest', dimensions: 2, indexingFragments: { t: FRAGMENT, u: FRAGMENT } },
};
const entry = (regenerate: boolean) => ({ embeddings: [[1, 2]], regenerate });
const documents = [
  { id: 0, _vectors: { own: [1, 2], made: entry(true) } },
  { id: 1, _vectors: { own: null, made: entry(false) } },
  { id: 2, _vectors: { own: [[2, 1]], one: entry(true), two: entry(true) } },
  { id: 3 },
  { id: 4, _vectors: { own: [1, 1], made: entry(true) } },
];
const place = (docId: number, isDead = false) => ({
  docId,
  document: documents[docId] ?? {},
  isDead,
});
const snapshot = buildPlacedSnapshot({
  segments: [
    [place(0), place(1), place(4, true)],
    [place(2), place(3)],
  ],
  settings: { embedders },
});

const find = (filter: string): unknown[] => searchIds(snapshot, { filter, multimodal: true });

function failure(filter: string, multimodal = true): ApiError {
  try {
    searchIds(snapshot, { filter, multimodal });
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`\`${filter}\` was accepted`);
}

describe('the filter _vectors', () => {
  it.each([
    ['_vectors EXISTS', [0, 1, 2]],
    ['_vectors NOT EXISTS', [3]],
    ['_vectors.own EXISTS', [0, 2]],
    ['_vectors.made EXISTS', [0, 1]],
    ['_vectors.made.regenerate EXISTS', [0]],
    ['_vectors.made.documentTemplate EXISTS', [0]],
    ['_vectors.made.userProvided EXISTS', [1]],
    ['_vectors.own.userProvided EXISTS', [0, 1, 2]],
    ['_vectors.own.documentTemplate EXISTS', []],
    ['_vectors.own.regenerate EXISTS', []],
    ['_vectors.one.fragments.t EXISTS', []],
    ['_vectors.one.documentTemplate EXISTS', []],
    ['_vectors.two.regenerate EXISTS', [2]],
    ['_vectors.own EXISTS AND NOT _vectors.made EXISTS', [2]],
    ['_vectors."own" EXISTS', [0, 2]],
    [`_vectors.'made'.regenerate NOT EXISTS`, [1, 2, 3]],
    ['_vectors."one".fragments."t" NOT EXISTS', [0, 1, 2, 3]],
    ["_vectors.two.fragments.'t' EXISTS OR _vectors.made.regenerate EXISTS", [0]],
  ])('%s', (filter, wanted) => {
    expect(find(filter)).toEqual(wanted);
  });

  it('selects stored documents for deletions and editions', () => {
    const selected = selectStored(snapshot, '_vectors.made.userProvided EXISTS');
    expect([...selected]).toEqual([1 << 1]);
  });

  it('names what is not there', () => {
    expect(failure('_vectors.none EXISTS').message).toContain('`own`, `made`, `one`, `two`');
    expect(failure('_vectors.one.fragments.u EXISTS').message).toContain('`one` has `t`');
    expect(failure('_vectors.none EXISTS').code).toBe('invalid_search_filter');
  });

  it('says what may follow where something else does', () => {
    expect(failure('_vectors. EXISTS').message).toContain('expected the name of an embedder');
    expect(failure('_vectors."own".mine EXISTS').message).toContain('`.regenerate` or');
    expect(failure('_vectors.one.fragments. EXISTS').message).toContain('`.fragments.` and a name');
    expect(failure('_vectors."own"own EXISTS').message).toContain('expected `EXISTS`');
    expect(failure('_vectors."own EXISTS').message).toContain('a closing "');
  });

  it('needs its experimental feature', () => {
    expect(failure('_vectors EXISTS', false).code).toBe('feature_not_enabled');
  });
});
