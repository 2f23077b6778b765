/** Staged changes of the catalog: what they show before, write, and report after. */
import { describe, expect, it } from 'vitest';
import { IndexCatalog } from '../../../src/catalog/index-catalog.ts';
import { segmentBytes } from '../../../src/catalog/manifest.ts';
import { ruleNamesOf } from '../../../src/model/index-manifest.ts';
import { MemoryDisk, MemoryStore } from '../../support/memory-store.ts';
import { segmentEntry } from '../../support/segment-entry.ts';

const NOW = '2026-01-01T00:00:00.000000Z';
const LATER = '2026-01-02T00:00:00.000000Z';
const segment = (id: string) => segmentEntry(id, 2, 9);

async function open(disk = new MemoryDisk()) {
  const store = new MemoryStore(disk);
  const catalog = await IndexCatalog.load(store);
  const commit = async (change: ReturnType<IndexCatalog['begin']>) => {
    await store.write(change.operations());
    return change.apply();
  };
  return { disk, catalog, commit };
}

const uids = (catalog: IndexCatalog) =>
  [...catalog.all()].map(({ uid, id }) => `${uid}:${id}`).sort();

describe('index catalog', () => {
  it('shows a change only to the change until it is applied', async () => {
    const { catalog, commit } = await open();
    const change = catalog.begin();
    change.create('a', 'id', NOW);
    expect(change.get('a')).toMatchObject({
      uid: 'a',
      id: 0,
      generation: 1,
      createdAt: NOW,
      updatedAt: NOW,
      primaryKey: 'id',
      segments: [],
      batchEndDocIds: [],
      seenFieldPaths: [],
    });
    expect(catalog.get('a')).toBeNull();
    const { published, removed } = await commit(change);
    expect(published.map(({ uid }) => uid)).toEqual(['a']);
    expect(removed).toEqual([]);
    expect(catalog.byId(0)).toBe(catalog.get('a'));
  });

  it('keeps in a branch of branches the last names of the indexes before it', async () => {
    const { catalog, commit } = await open();
    const change = catalog.begin();
    let last = change.create('a0', 'id', NOW);
    for (let i = 1; i <= 120; i++) last = change.branch(last, `a${i}`, NOW);
    await commit(change);
    const names = Array.from({ length: 100 }, (_, i) => `a${120 - i}`);
    const branch = catalog.get('a120');
    expect(branch && ruleNamesOf(branch)).toEqual(names);
  });

  it('grows the generation by one however often an index is touched', async () => {
    const { catalog, commit } = await open();
    const first = catalog.begin();
    first.create('a', null, NOW);
    first.update('a', { primaryKey: 'id', updatedAt: LATER });
    await commit(first);
    expect(catalog.get('a')).toMatchObject({ generation: 1, primaryKey: 'id', updatedAt: LATER });
    const second = catalog.begin();
    second.update('a', { segments: [segment('x'), segment('y')] });
    second.update('a', { uid: 'b' });
    await commit(second);
    expect(catalog.get('b')).toMatchObject({ generation: 2, updatedAt: LATER });
  });

  it('reports dropped segments, renames and deletions', async () => {
    const { catalog, commit } = await open();
    const first = catalog.begin();
    for (const uid of ['a', 'b', 'c']) first.create(uid, null, NOW);
    first.update('a', { segments: [segment('x'), segment('y')] });
    await commit(first);
    const change = catalog.begin();
    change.update('a', { segments: [segment('y'), segment('z')], uid: 'new' });
    change.delete('b');
    expect(change.get('b')).toBeNull();
    const applied = await commit(change);
    expect(applied).toMatchObject({
      removed: [
        { uid: 'a', indexId: 0 },
        { uid: 'b', indexId: 1 },
      ],
      obsoleteFiles: [{ indexId: 0, name: 'x.seg', generation: 2 }],
    });
    expect([...applied.deletedBytes.keys()]).toEqual([1]);
    const named = [...catalog.all()].map(segmentBytes);
    expect(catalog.fileBytes).toBe(named.reduce((sum, bytes) => sum + bytes, 0));
    expect(uids(catalog)).toEqual(['c:2', 'new:0']);
  });

  it('swaps contents while folders stay, over several pairs', async () => {
    const { catalog, commit } = await open();
    const first = catalog.begin();
    for (const uid of ['a', 'b', 'c']) first.create(uid, uid, NOW);
    await commit(first);
    const change = catalog.begin();
    change.swap('a', 'b', LATER);
    change.swap('b', 'c', LATER);
    const { published, removed } = await commit(change);
    expect(uids(catalog)).toEqual(['a:1', 'b:2', 'c:0']);
    expect(catalog.get('c')).toMatchObject({
      primaryKey: 'a',
      generation: 2,
      createdAt: NOW,
      updatedAt: LATER,
    });
    expect(published).toHaveLength(3);
    expect(removed).toEqual([]);
  });

  it('takes the name of an index that the same change deletes or renames', async () => {
    const { catalog, commit } = await open();
    const first = catalog.begin();
    for (const uid of ['a', 'b']) first.create(uid, null, NOW);
    await commit(first);
    const change = catalog.begin();
    change.delete('a');
    change.update('b', { uid: 'a' });
    const { removed } = await commit(change);
    expect(removed).toEqual([{ uid: 'b', indexId: 1 }]);
    expect(uids(catalog)).toEqual(['a:1']);
  });

  it('refuses what does not exist and what does already', async () => {
    const { catalog, commit } = await open();
    const change = catalog.begin();
    change.create('a', null, NOW);
    change.create('b', null, NOW);
    expect(() => change.create('a', null, NOW)).toThrow('Index `a` already exists.');
    expect(() => change.update('a', { uid: 'b' })).toThrow('Index `b` already exists.');
    expect(() => change.update('zz', {})).toThrow('Index `zz` not found.');
    expect(() => change.delete('zz')).toThrow('Index `zz` not found.');
    expect(() => change.swap('a', 'zz', NOW)).toThrow('Index `zz` not found.');
    await commit(change);
    expect(uids(catalog)).toEqual(['a:0', 'b:1']);
  });

  it('is the same after a restart and never gives an id twice', async () => {
    const { disk, catalog, commit } = await open();
    const first = catalog.begin();
    for (const uid of ['a', 'b']) first.create(uid, null, NOW);
    await commit(first);
    const second = catalog.begin();
    second.delete('b');
    await commit(second);
    const again = await open(disk);
    expect([...again.catalog.all()]).toEqual([...catalog.all()]);
    const third = again.catalog.begin();
    expect(third.create('c', null, NOW).id).toBe(2);
  });

  it('gives different ids to changes that are staged at the same time, in either order of applying', async () => {
    const { catalog } = await open();
    const [first, second] = [catalog.begin(), catalog.begin()];
    expect(first.create('a', null, NOW).id).toBe(0);
    expect(second.create('b', null, NOW).id).toBe(1);
    second.apply();
    first.apply();
    expect([...catalog.all()].map(({ uid }) => uid).sort()).toEqual(['a', 'b']);
  });
});
