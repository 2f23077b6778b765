/** Manifest state of earlier batches: where they ended, and fields of removed segments. */
import { describe, expect, it } from 'vitest';
import { withSeenFieldPaths } from '../../../src/model/index-manifest.ts';
import { TestIndex } from './support.ts';

const filterable = { filterableAttributes: ['kind', 'made'] };

describe('fields of segments that went away', () => {
  it('stay known when their documents are replaced or deleted, and those of living ones besides', async () => {
    const index = new TestIndex({ settings: filterable });
    await index.apply(index.upsert([{ id: 1, kind: 'a', made: { year: 1 } }]));
    await index.apply(index.upsert([{ id: 2, kind: 'b' }]));
    expect(index.manifest.seenFieldPaths).toEqual([]);
    await index.apply(index.upsert([{ id: 1 }]));
    expect([...index.manifest.seenFieldPaths].sort()).toEqual(['kind', 'made', 'made.year']);
    await index.mergeAll();
    await index.apply(index.deleteIds('1', '2'));
    expect(index.manifest.segments).toEqual([]);
    expect([...index.manifest.seenFieldPaths].sort()).toEqual(['kind', 'made', 'made.year']);
  });

  it('are forgotten with all documents', async () => {
    const index = new TestIndex({ settings: filterable });
    await index.apply(index.upsert([{ id: 1, kind: 'a' }]));
    await index.apply(index.upsert([{ id: 1 }]));
    expect(index.manifest).toMatchObject({ seenFieldPaths: ['kind'], batchEndDocIds: [1] });
    await index.apply(index.deleteAll(), index.upsert([{ id: 1 }, { id: 2 }]));
    expect(index.manifest.seenFieldPaths).toEqual([]);
  });

  it('are noted once, and no more than a thousand', () => {
    const seen = ['a', 'b'];
    expect(withSeenFieldPaths(seen, ['b', 'a'])).toBe(seen);
    expect(withSeenFieldPaths(seen, ['b', 'c'])).toEqual(['a', 'b', 'c']);
    const many = Array.from({ length: 1200 }, (_, i) => `f${i}`);
    expect(withSeenFieldPaths(seen, many)).toHaveLength(1000);
    expect(withSeenFieldPaths(seen, many).slice(0, 3)).toEqual(['a', 'b', 'f0']);
  });
});

describe('the ends of the batches of an index', () => {
  it('grow with each batch that gives DocIds, and restart in a cleared one', async () => {
    const index = new TestIndex();
    await index.apply(index.upsert([{ id: 1 }, { id: 2 }]));
    await index.apply(index.upsert([{ id: 2 }, { id: 3 }]));
    await index.apply(index.upsert([{ id: 3 }]));
    expect(index.manifest.batchEndDocIds).toEqual([2, 3]);
    await index.apply(index.deleteIds('1'));
    await index.apply(index.upsert([{ id: 4 }]));
    expect(index.manifest.batchEndDocIds).toEqual([2, 3]);
    await index.apply(index.deleteAll(), index.upsert([{ id: 5 }]));
    expect(index.manifest.batchEndDocIds).toHaveLength(1);
  });
});
