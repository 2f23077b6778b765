/**
 * Deletions by filter: the filter selects documents stored before the batch; a filter that is not
 * allowed fails its own task only.
 */
import { describe, expect, it } from 'vitest';
import type { DocumentOperation } from '../../../src/indexing/batch/document-operations.ts';
import { TestIndex } from './support.ts';

const films = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: from + i,
    title: `Film ${from + i}`,
    year: 1990 + ((from + i) % 5),
  }));

const byFilter = (taskUid: number, filter: unknown): DocumentOperation => ({
  taskUid,
  kind: 'deleteFilter',
  filter,
});

const ids = (index: TestIndex): string[] => index.documents().map(({ id }) => id);

async function filledIndex(threads = 1): Promise<TestIndex> {
  const index = new TestIndex({ settings: { filterableAttributes: ['year', 'title'] }, threads });
  await index.apply(index.upsert(films(0, 10)));
  await index.apply(index.upsert([{ id: 3, title: 'Newer', year: 2020 }]), index.deleteIds('4'));
  return index;
}

describe('deletions by filter', () => {
  it.each([1, 2])(
    'remove the living documents that the filter selects (%i threads)',
    async (threads) => {
      const index = await filledIndex(threads);
      const { results } = await index.apply(byFilter(7, ['year = 1993 OR year = 1994']));
      expect(results).toEqual([
        { taskUid: 7, error: null, indexedDocuments: 0, deletedDocuments: 2 },
      ]);
      expect(ids(index)).toEqual(['0', '1', '2', '3', '5', '6', '7']);
    },
  );

  it('count what deletions before them in the batch left', async () => {
    const index = await filledIndex();
    const { results } = await index.apply(
      index.deleteIds('0'),
      byFilter(8, 'year = 1990'),
      byFilter(9, 'year <= 1991'),
    );
    expect(results.map(({ deletedDocuments }) => deletedDocuments)).toEqual([1, 1, 2]);
    expect(ids(index)).toEqual(['2', '3', '7', '8', '9']);
  });

  it('do not reach documents that the batch writes after them', async () => {
    const index = await filledIndex();
    await index.apply(
      byFilter(8, 'year = 1990'),
      index.upsert([{ id: 0, title: 'Back', year: 1990 }]),
    );
    expect(ids(index)).toEqual(['0', '1', '2', '3', '6', '7', '8', '9']);
  });

  it('fail alone when an attribute is not filterable', async () => {
    const index = await filledIndex();
    const { results } = await index.apply(byFilter(8, 'other = 1'), index.deleteIds('1'));
    expect(results[0]?.error).toMatchObject({
      code: 'invalid_document_filter',
      message: expect.stringContaining('`other`'),
    });
    expect(results[1]).toMatchObject({ error: null, deletedDocuments: 1 });
    expect(ids(index)).not.toContain('1');
  });

  it('find nothing in an index without documents', async () => {
    const index = new TestIndex({ settings: { filterableAttributes: ['year'] } });
    const { results } = await index.apply(byFilter(1, 'NOT year = 1'));
    expect(results).toEqual([
      { taskUid: 1, error: null, indexedDocuments: 0, deletedDocuments: 0 },
    ]);
  });

  it('keep the other documents findable by filter afterwards', async () => {
    const index = await filledIndex();
    await index.apply(byFilter(1, 'title CONTAINS "film"'));
    const { results } = await index.apply(byFilter(2, 'title = newer'));
    expect([results[0]?.deletedDocuments, ids(index)]).toEqual([1, []]);
  });
});
