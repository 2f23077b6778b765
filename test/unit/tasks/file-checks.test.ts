/**
 * Every file of a manifest is read once; damage is logged, sent to fronts, and excluded from
 * merges.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { IndexManifest } from '../../../src/model/index-manifest.ts';
import { FileChecks } from '../../../src/tasks/file-checks.ts';

function setUp(damaged: readonly string[] = [], noted = new Map<string, string>()) {
  const manifests = new Map<number, IndexManifest>();
  const read: string[] = [];
  const logged: string[] = [];
  const published: unknown[] = [];
  const sound: number[] = [];
  const pauses: (() => void)[] = [];
  /** Files whose check fails without a verdict. */
  const unreadable = new Set<string>();
  /** Indexes whose files are only in the object store. */
  const cold = new Set<number>();
  const name = (indexId: number, ...names: string[]) => {
    const files = names.map((file) => ({
      component: 'documents',
      name: file,
      bytes: 1,
      covers: 0,
    }));
    manifests.set(indexId, { id: indexId, segments: [{ files }] } as unknown as IndexManifest);
  };
  /** Modified files: their state has changed. */
  const touched = new Set<string>();
  const notes = {
    read: () => new Map(noted),
    write: (states: ReadonlyMap<string, string>) => {
      noted.clear();
      for (const [key, state] of states) noted.set(key, state);
    },
    stateOf: (indexId: number, file: string) => {
      const key = `${indexId}/${file}`;
      return touched.has(key) ? `${key} touched` : key;
    },
  };
  const checks = new FileChecks({
    notes,
    isLocal: (indexId) => !cold.has(indexId),
    catalog: { all: () => manifests.values(), byId: (id) => manifests.get(id) ?? null },
    checkFile: async (_indexId, file) => {
      read.push(file.name);
      if (unreadable.has(file.name)) throw new Error('the thread ended');
      return damaged.includes(file.name) ? `${file.name} is damaged` : null;
    },
    publish: (event, data) => void published.push([event, data]),
    onSound: (indexId) => void sound.push(indexId),
    log: {
      warn: () => undefined,
      error: (_: object | string, text?: string) => void logged.push(String(text)),
    },
    later: (run) => void pauses.push(run),
  });
  const afterPause = async () => {
    for (const run of pauses.splice(0)) run();
    await sleep(1);
  };
  const seen = { read, logged, published, sound };
  return { checks, cold, manifests, noted, touched, unreadable, name, ...seen, afterPause };
}

describe('FileChecks', () => {
  it('takes the index first that a caller waits for', async () => {
    const { checks, name, read } = setUp();
    for (const id of [1, 2, 3, 4]) name(id, `${id}.seg`);
    checks.start();
    checks.checkFirst(3);
    await sleep(1);
    expect(read).toEqual(['1.seg', '3.seg', '2.seg', '4.seg']);
  });

  it('checks the other indexes when a check fails, and repeats that check later', async () => {
    const { checks, name, unreadable, sound, afterPause } = setUp();
    for (const id of [1, 2]) name(id, `${id}.seg`);
    unreadable.add('1.seg');
    checks.start();
    await sleep(1);
    expect(sound).toEqual([2]);
    unreadable.clear();
    await afterPause();
    expect(sound).toEqual([2, 1]);
  });

  it('reads no file of an index that is not on the disk, and none that was fetched', async () => {
    const { checks, cold, name, read, published, sound } = setUp();
    name(1, 'a.seg');
    cold.add(1);
    checks.start();
    checks.consider(1);
    await sleep(1);
    expect([checks.isSound(1), published]).toEqual([false, []]);
    cold.delete(1);
    checks.fetched(1);
    expect([checks.isSound(1), sound]).toEqual([true, [1]]);
    checks.left(1);
    expect([checks.isSound(1), checks.verdicts(), read]).toEqual([false, [], []]);
  });

  it('reports no damage of a file that leaves the disk while it is read', async () => {
    const { checks, cold, name, logged, published } = setUp(['a.seg']);
    name(1, 'a.seg');
    checks.start();
    cold.add(1);
    await sleep(1);
    expect([checks.damageOf(1), checks.verdicts(), logged, published]).toEqual([[], [], [], []]);
  });

  it('reads each file once, however often its index is considered', async () => {
    const { checks, name, read, sound, afterPause } = setUp();
    name(1, 'a.seg', 'a.col');
    name(2, 'b.seg');
    checks.start();
    expect(checks.isSound(1)).toBe(false);
    await sleep(1);
    name(1, 'a.seg', 'a.col', 'c.seg');
    checks.consider(1);
    await sleep(1);
    expect(read).toEqual(['a.seg', 'a.col', 'b.seg']);
    checks.consider(1);
    await afterPause();
    expect(read).toEqual(['a.seg', 'a.col', 'b.seg', 'c.seg']);
    expect(checks.isSound(1)).toBe(true);
    expect(sound).toEqual([1, 2]);
  });

  it('vouches for an index that this process has made, and reads its files after a while', async () => {
    const { checks, name, read, published, sound, afterPause } = setUp(['a.seg']);
    checks.start();
    name(1, 'a.seg');
    checks.consider(1);
    expect(published).toEqual([['indexChecked', { indexId: 1, damage: [] }]]);
    expect(sound).toEqual([1]);
    expect(read).toEqual([]);
    await afterPause();
    expect(published.at(-1)).toEqual([
      'indexChecked',
      { indexId: 1, damage: ['a.seg is damaged'] },
    ]);
    expect(checks.isSound(1)).toBe(false);
  });

  it('reports damage once, and to every front that connects', async () => {
    const { checks, name, logged, published, sound } = setUp(['b.seg']);
    name(1, 'a.seg', 'b.seg');
    checks.start();
    await sleep(1);
    checks.consider(1);
    await sleep(1);
    const verdict = { indexId: 1, damage: ['b.seg is damaged'] };
    expect(published).toEqual([['indexChecked', verdict]]);
    expect(checks.verdicts()).toEqual([verdict]);
    expect(logged).toEqual(['b.seg is damaged']);
    expect(checks.isSound(1)).toBe(false);
    expect(sound).toEqual([]);
  });

  it('forgets damage with the file or the index that had it', async () => {
    const { checks, manifests, name, published } = setUp(['b.seg', 'c.seg']);
    name(1, 'b.seg');
    name(2, 'c.seg');
    checks.start();
    await sleep(1);
    name(1, 'd.seg');
    manifests.delete(2);
    for (const indexId of [1, 2]) checks.consider(indexId);
    await sleep(1);
    expect(published.at(-1)).toEqual(['indexChecked', { indexId: 1, damage: [] }]);
    expect(checks.verdicts()).toEqual([{ indexId: 1, damage: [] }]);
  });

  it('delays no caller for files that an earlier process verified, and reads them later', async () => {
    const first = setUp();
    first.name(1, 'a.seg', 'a.vec');
    first.checks.start();
    await sleep(1);
    expect(first.read).toEqual(['a.seg', 'a.vec']);

    const { checks, name, read, published, sound, afterPause } = setUp([], first.noted);
    name(1, 'a.seg', 'a.vec');
    checks.start();
    expect(checks.verdicts()).toEqual([{ indexId: 1, damage: [] }]);
    expect(published).toEqual([['indexChecked', { indexId: 1, damage: [] }]]);
    expect(sound).toEqual([1]);
    await sleep(1);
    expect(read).toEqual([]);
    await afterPause();
    expect(read).toEqual(['a.seg', 'a.vec']);
  });

  it('reads modified, new and damaged files at once', async () => {
    const first = setUp(['c.seg']);
    for (const file of ['a', 'b', 'c']) first.name(first.manifests.size + 1, `${file}.seg`);
    first.checks.start();
    await sleep(1);
    expect([...first.noted.keys()]).toEqual(['1/a.seg', '2/b.seg']);

    const { checks, name, touched, read } = setUp(['c.seg'], first.noted);
    name(1, 'a.seg');
    name(2, 'b.seg', 'new.seg');
    name(3, 'c.seg');
    touched.add('1/a.seg');
    checks.start();
    expect(checks.verdicts()).toEqual([]);
    await sleep(1);
    expect(read).toEqual(['a.seg', 'b.seg', 'new.seg', 'c.seg']);
  });

  it('notes the files of this process when it stops, unless they were modified since', async () => {
    const first = setUp(['old.seg']);
    first.name(1, 'old.seg');
    first.checks.start();
    await sleep(1);
    first.name(1, 'old.seg', 'new.seg');
    first.name(2, 'made.seg');
    for (const indexId of [1, 2]) first.checks.consider(indexId);
    first.touched.add('2/made.seg');
    first.checks.stop();
    expect([...first.noted]).toEqual([
      ['1/new.seg', '1/new.seg'],
      ['2/made.seg', '2/made.seg'],
    ]);
  });

  it('takes back that a file is sound when it is not any more, or not named', async () => {
    const noted = new Map(['1/a.seg', '1/b.seg', '2/c.seg'].map((key) => [key, key]));
    const { checks, name, published, afterPause } = setUp(['a.seg'], noted);
    name(1, 'a.seg', 'b.seg');
    name(2, 'c.seg');
    checks.start();
    name(2, 'd.seg');
    await afterPause();
    expect(published.at(-1)).toEqual([
      'indexChecked',
      { indexId: 1, damage: ['a.seg is damaged'] },
    ]);
    expect([...noted.keys()].sort()).toEqual(['1/b.seg', '2/d.seg']);
  });
});
