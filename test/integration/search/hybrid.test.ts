/** Semantic and hybrid searches on documents with user-provided vectors. */
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../../src/core/deadline.ts';
import {
  DEFAULT_SEARCH_REQUEST,
  type SearchRequest,
  type SemanticQuery,
} from '../../../src/model/search.ts';
import type { Settings } from '../../../src/model/settings.ts';
import { executeSearch } from '../../../src/search/execute-search.ts';
import { rankingScore } from '../../../src/search/ranking/ranking-score.ts';
import { similarDocuments } from '../../../src/search/similar-documents.ts';
import type { IndexSnapshot } from '../../../src/search/snapshot/index-snapshot.ts';
import { buildPlacedSnapshot, buildSnapshot } from '../../support/build-snapshot.ts';
import { searchFilter } from '../../support/search-request.ts';

const documents = [
  { id: 0, t: 'red fox', price: 4, c: 'a', _vectors: { e: [1, 0] } },
  { id: 1, t: 'red wolf', price: 3, c: 'b', _vectors: { e: [0, 1] } },
  { id: 2, t: 'blue whale', price: 2, c: 'a', _vectors: { e: [0.9, 0.1] } },
  { id: 3, t: 'blue fox', price: 1, c: 'b' },
];
const embedders = { e: { source: 'userProvided', dimensions: 2 } } as const;
const settings: Partial<Settings> = {
  embedders,
  sortableAttributes: ['price'],
  filterableAttributes: [
    {
      attributePatterns: ['c', 'price'],
      features: { facetSearch: false, filter: { equality: true, comparison: true } },
    },
  ],
};
const meaning = (
  x: number,
  y: number,
  ratio = 1,
  more: Pick<SemanticQuery, 'threshold'> = {},
): Partial<SearchRequest> => ({
  semantic: { embedder: 'e', ratio, vector: Float32Array.of(x, y), ...more },
});

const LIKE = { ...DEFAULT_SEARCH_REQUEST, embedder: 'e', binding: null };

/** Code of the error that the call throws, or null. */
function codeOf(call: () => unknown): string | null {
  try {
    call();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return null;
}

const run = (snapshot: IndexSnapshot, request: Partial<SearchRequest>) => {
  const outcome = executeSearch(
    snapshot,
    { ...DEFAULT_SEARCH_REQUEST, ...request },
    Deadline.never(),
  );
  return {
    docs: outcome.documents.map(({ doc }) => doc),
    scores: outcome.documents.map(({ levels }) => rankingScore(levels)),
    total: outcome.candidates.count,
    candidates: [...outcome.candidates.toList()],
    semanticHitCount: outcome.semanticHitCount,
  };
};

describe('a semantic search', () => {
  const snapshot = buildSnapshot({ documents, settings });

  it('ranks by similarity, and documents without a vector last with the score 0', () => {
    const { docs, scores, total, semanticHitCount } = run(snapshot, meaning(1, 0));
    expect(docs).toEqual([0, 2, 1, 3]);
    expect([scores[0], scores[2], scores[3]]).toEqual([1, 0.5, 0]);
    expect([total, semanticHitCount]).toEqual([4, 4]);
  });

  it('searches only the documents of the filter', () => {
    const filter = searchFilter('c = b');
    expect(run(snapshot, { ...meaning(1, 0), filter })).toMatchObject({ docs: [1, 3], total: 2 });
  });

  it('replaces the first rule that reads words', () => {
    const rankingRules = ['price:asc', 'words', 'sort', 'typo'];
    const ordered = buildSnapshot({ documents, settings: { ...settings, rankingRules } });
    expect(run(ordered, meaning(1, 0)).docs).toEqual([3, 2, 1, 0]);
  });

  it('finds the same in one segment and in several, and after deletions', () => {
    const cut = buildSnapshot({ documents, settings, segmentCount: 3 });
    expect(run(cut, meaning(0, 1)).docs).toEqual(run(snapshot, meaning(0, 1)).docs);
    const place = (docId: number, isDead = false) => ({
      docId,
      document: documents[docId] ?? {},
      isDead,
    });
    const replaced = { docId: 0, document: { id: 0, _vectors: { e: [-1, 0] } }, isDead: false };
    const changed = buildPlacedSnapshot({
      segments: [[place(0, true), place(1), place(2)], [replaced]],
      settings,
    });
    expect(run(changed, meaning(1, 0)).docs).toEqual([2, 1, 0]);
  });

  it('returns the same list in pages', () => {
    const pages = [0, 1, 2, 3].flatMap(
      (offset) => run(snapshot, { ...meaning(1, 0.2), offset, limit: 1 }).docs,
    );
    expect(pages).toEqual(run(snapshot, meaning(1, 0.2)).docs);
  });

  it('excludes documents below the threshold, in hits and totals', () => {
    const request = { ...meaning(1, 0), rankingScoreThreshold: 0.6 };
    expect(run(snapshot, request)).toMatchObject({ docs: [0, 2], total: 2 });
  });

  it('is ordered by the vectors when a distribution gives many documents the same score', () => {
    const vectors = [
      [0.9, 0.1],
      [1, 0],
      [0.8, 0.2],
      [-1, 0],
      [-0.9, 0.1],
    ];
    const shifted = buildSnapshot({
      documents: vectors.map((e, id) => ({ id, _vectors: { e } })),
      settings: { embedders: { e: { ...embedders.e, distribution: { mean: 0.5, sigma: 0.1 } } } },
    });
    const least = 2 ** -23;
    expect(run(shifted, meaning(1, 0))).toMatchObject({
      docs: [1, 0, 2, 4, 3],
      scores: [1, 1, 1, least, least],
    });
    const like = { ...LIKE, id: '1' };
    const { documents } = similarDocuments(shifted, like, Deadline.never());
    expect(documents.map(({ doc }) => doc)).toEqual([0, 2, 4, 3]);
    expect(documents.map(({ levels }) => rankingScore(levels))).toEqual([1, 1, least, least]);
  });

  it('counts similar documents up to the threshold, and all before the offset', () => {
    const count = (offset: number, limit: number): number => {
      const like = { ...LIKE, id: '0', offset, limit };
      return similarDocuments(snapshot, { ...like, rankingScoreThreshold: 1 }, Deadline.never())
        .totalCount;
    };
    expect([count(0, 20), count(1, 20), count(2, 20), count(9, 20)]).toEqual([0, 1, 3, 3]);
  });

  it('refuses an invalid filter before an unknown document', () => {
    const like = { ...LIKE, id: 'none' };
    const code = (filter: string | null) =>
      codeOf(() =>
        similarDocuments(snapshot, { ...like, filter: searchFilter(filter) }, Deadline.never()),
      );
    expect([code(null), code('c =')]).toEqual(['not_found_similar_id', 'invalid_similar_filter']);
  });

  it('knows no document that the filter of a tenant token hides', () => {
    const filtered = buildSnapshot({
      documents: ['x', 'y'].map((c, id) => ({ id, c, _vectors: { e: [id, 1] } })),
      settings: { embedders, filterableAttributes: ['c'] },
    });
    const code = (binding: string) =>
      codeOf(() => {
        const like = { ...LIKE, id: '0', filter: searchFilter('c = y') };
        similarDocuments(filtered, { ...like, binding: searchFilter(binding) }, Deadline.never());
      });
    expect([code('c = x'), code('c = y')]).toEqual([null, 'not_found_similar_id']);
  });

  it('keeps one document a value', () => {
    expect(run(snapshot, { ...meaning(1, 0), distinct: 'c' }).docs).toEqual([0, 1]);
  });
});

describe('a hybrid search', () => {
  const snapshot = buildSnapshot({ documents, settings });

  it('merges both lists and counts the semantic hits', () => {
    const found = run(snapshot, { q: 'wolf', ...meaning(1, 0, 0.7) });
    expect(found).toMatchObject({ docs: [0, 2, 1, 3], total: 4, semanticHitCount: 4 });
  });

  it('counts no semantic hit without a rule that vectors replace', () => {
    const ruleless = buildSnapshot({
      documents,
      settings: { ...settings, rankingRules: ['sort'] },
    });
    const found = run(ruleless, { q: 'wolf', ...meaning(1, 0, 0.7) });
    expect(found).toMatchObject({ total: 4, semanticHitCount: 0 });
  });

  it('is keyword search only when all requested hits have a good score', () => {
    const found = run(snapshot, { q: 'red', limit: 2, ...meaning(1, 0, 0.3) });
    expect(found).toMatchObject({ docs: [0, 1], total: 2, semanticHitCount: 0 });
  });

  it('is keyword search only when the embedder returned no vector', () => {
    const semantic = { embedder: 'e', ratio: 0.5, vector: null };
    const found = run(snapshot, { q: 'wolf', semantic });
    expect(found).toMatchObject({ docs: [1], total: 1, semanticHitCount: 0 });
  });

  it('keeps one document a value of both lists, in hits and totals', () => {
    const found = run(snapshot, { q: 'whale', distinct: 'c', ...meaning(1, 0, 0.9) });
    expect(found).toMatchObject({ docs: [0, 1], total: 2 });
  });

  it('counts no document that a hit excludes, though neither list reached it', () => {
    const whales = [
      { id: 0, t: 'fox', c: 'a', _vectors: { e: [1, 0] } },
      { id: 1, t: 'wolf', c: 'b', _vectors: { e: [0.9, 0.1] } },
      { id: 2, t: 'whale', c: 'd', _vectors: { e: [0, 1] } },
      { id: 3, t: 'seal', c: 'd', _vectors: { e: [0, 1] } },
    ];
    const request = { q: 'whale', distinct: 'c', limit: 2, ...meaning(1, 0, 0.1) };
    const found = run(buildSnapshot({ documents: whales, settings }), request);
    expect(found).toMatchObject({ docs: [2, 0], candidates: [0, 1, 2] });
  });

  it('leaves excluded words out on both sides', () => {
    const found = run(snapshot, { q: 'wolf -fox', ...meaning(1, 0, 0.9) });
    expect(found).toMatchObject({ docs: [2, 1], total: 2 });
  });
});

describe('a search with a minimum similarity', () => {
  const snapshot = buildSnapshot({ documents, settings });

  it('finds keyword hits and documents above the minimum', () => {
    const found = run(snapshot, { q: 'wolf', ...meaning(1, 0, 0.7, { threshold: 0.9 }) });
    expect(found).toMatchObject({ docs: [0, 2, 1], total: 3, semanticHitCount: 2 });
  });

  it('finds only documents above the minimum without words', () => {
    const found = run(snapshot, meaning(1, 0, 1, { threshold: 0.9 }));
    expect(found).toMatchObject({ docs: [0, 2], total: 2, semanticHitCount: 2 });
  });

  it('counts semantic hits, also when good keyword hits fill the window', () => {
    const found = run(snapshot, { q: 'red', limit: 1, ...meaning(1, 0, 0.3, { threshold: 0.9 }) });
    expect(found).toMatchObject({ docs: [0], total: 3 });
  });

  it('compares similarities as they are shown', () => {
    const distribution = { mean: 0.99, sigma: 0.1 };
    const shifted = buildSnapshot({
      documents,
      settings: { ...settings, embedders: { e: { ...embedders.e, distribution } } },
    });
    const found = run(shifted, meaning(1, 0, 1, { threshold: 0.53 }));
    expect(found.docs).toEqual([0]);
  });

  it('finds all documents above the minimum, up to the last page', () => {
    const circle = Array.from({ length: 600 }, (_, id) => ({
      id,
      _vectors: { e: [Math.cos(id / 600), Math.sin(id / 600)] },
    }));
    const of = (maxTotalHits: number): IndexSnapshot =>
      buildSnapshot({ documents: circle, settings: { embedders, pagination: { maxTotalHits } } });
    const half = meaning(1, 0, 1, { threshold: (1 + Math.cos(0.4999)) / 2 });
    expect(run(of(1_000), half).candidates).toEqual(circle.slice(0, 300).map(({ id }) => id));
    expect(run(of(200), half).total).toBe(200);
    expect(run(of(1_000), meaning(1, 0, 1, { threshold: 0 })).total).toBe(600);
  });

  const many = Array.from({ length: 90 }, (_, id) => ({
    id,
    t: id % 3 === 0 ? 'red fox' : id % 7 === 0 ? 'red' : 'whale',
    price: (id * 37) % 50,
    c: `c${(id * 11) % 23}`,
    ...(id % 5 !== 4 && { _vectors: { e: [Math.cos(id), Math.sin(id)] } }),
  }));
  const library = buildSnapshot({ documents: many, settings, segmentCount: 3 });

  it.each<[string, Partial<SearchRequest>]>([
    ['by words and meaning', { q: 'red fox', ...meaning(1, 0, 0.5, { threshold: 0.8 }) }],
    ['that words alone could answer', { q: 'red', ...meaning(1, 0, 0.1, { threshold: 0.8 }) }],
    ['by meaning', meaning(1, 0, 1, { threshold: 0.6 })],
    [
      'of one document a value',
      { q: 'fox', distinct: 'c', ...meaning(1, 0, 0.6, { threshold: 0.7 }) },
    ],
    ['of one a value by meaning', { distinct: 'c', ...meaning(1, 0, 1, { threshold: 0.3 }) }],
    [
      'with good scores',
      { q: 'red fox', rankingScoreThreshold: 0.7, ...meaning(1, 0, 0.5, { threshold: 0.4 }) },
    ],
    [
      'that are sorted',
      {
        q: 'red',
        sort: [{ kind: 'field', path: 'price', direction: 'asc' }],
        ...meaning(0, 1, 0.5, { threshold: 0.5 }),
      },
    ],
  ])('hits %s are the same page by page, with the same totals', (_, request) => {
    const whole = run(library, { ...request, limit: 1000 });
    expect(whole.total).toBeGreaterThan(10);
    expect(whole.docs).toHaveLength(whole.total);
    for (const limit of [1, 7, 20]) {
      const docs: number[] = [];
      for (let offset = 0; offset < whole.total; offset += limit) {
        const page = run(library, { ...request, offset, limit });
        expect(page.candidates).toEqual(whole.candidates);
        docs.push(...page.docs);
      }
      expect(docs).toEqual(whole.docs);
    }
  });
});
