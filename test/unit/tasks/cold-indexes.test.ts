/** Indexes that are fetched by their first request, and leave the disk for others. */
import { describe, expect, it } from 'vitest';
import type { IndexManifest } from '../../../src/model/index-manifest.ts';
import { ColdIndexes } from '../../../src/tasks/cold-indexes.ts';
import { Gate } from '../../support/gate.ts';
import { until } from '../../support/until.ts';

const manifest = (id: number, generation = 1) =>
  ({
    id,
    generation,
    segments: [{ files: [{ name: `${generation}.seg`, bytes: 60 }] }],
  }) as unknown as IndexManifest;

/** A node with room for one index of 60 bytes. */
function node(onDisk: readonly number[] = []) {
  const [seen, clock] = [[] as string[], { ms: 0 }];
  const served = new Map([1, 2].map((id) => [id, manifest(id)]));
  const store: { gate: Gate | null; isAway: boolean } = { gate: null, isAway: false };
  const cold = new ColdIndexes({
    budgetBytes: 100,
    stored: {
      have: (objects) => objects.every(({ key }) => onDisk.includes(Number(key.split('/')[1]))),
      fetch: async (objects) => {
        seen.push(`fetch ${objects.map(({ key }) => key.replace('indexes/', ''))}`);
        await store.gate?.pass();
        if (store.isAway) throw new Error('the store is away');
        return objects.length;
      },
    },
    served: (id) => served.get(id) ?? null,
    removeFiles: (id) => void seen.push(`remove ${id}`),
    onFetched: (id) => void seen.push(`${id} true`),
    onAbsent: (id) => void seen.push(`${id} false`),
    takeReadIndexes: async () => [],
    monotonic: () => clock.ms,
    leaveMs: 0,
    log: { info: () => undefined, warn: () => undefined },
  });
  return { cold, seen, clock, served, store };
}

describe('an index that is only in the object store', () => {
  it('is fetched once by its first requests', async () => {
    const { cold, seen } = node();
    await Promise.all([cold.fetch(1), cold.fetch(1)]);
    await cold.fetch(1);
    expect(seen).toEqual(['fetch 1/1.seg', '1 true']);
    expect(cold.localBytes).toBe(60);
  });

  it('is served in its newest state', async () => {
    const { cold, seen, served, store } = node();
    const gate = new Gate();
    store.gate = gate;
    const fetch = cold.fetch(1);
    await gate.entered;
    served.set(1, manifest(1, 2));
    gate.release();
    await fetch;
    expect(seen).toEqual(['fetch 1/1.seg', 'fetch 1/2.seg', '1 true']);
  });

  it('is fetched again by the next request after a failure', async () => {
    const { cold, seen, store } = node();
    store.isAway = true;
    await cold.fetch(1);
    expect(seen).toEqual(['fetch 1/1.seg', '1 false']);
    store.isAway = false;
    await cold.fetch(1);
    expect(cold.isLocal(1)).toBe(true);
  });

  it('takes the room of one that is not used', async () => {
    const { cold, seen, clock } = node();
    await cold.fetch(1);
    clock.ms = 20_000;
    await cold.fetch(2);
    await until('the other index has left', () => seen.includes('remove 1'));
    expect(seen.slice(-3)).toEqual(['2 true', '1 false', 'remove 1']);
    expect(cold.isLocal(1)).toBe(false);
  });

  it('stays on the disk if it is requested again before its files are deleted', async () => {
    const { cold, seen, clock } = node();
    await cold.fetch(1);
    clock.ms = 20_000;
    await cold.fetch(2);
    await cold.fetch(1);
    expect(cold.isLocal(1)).toBe(true);
    cold.close();
    expect(seen).not.toContain('remove 1');
  });

  it('takes no room after the end of its node, which another owner of the folder counts on', async () => {
    const { cold, seen, clock, store } = node();
    await cold.fetch(1);
    clock.ms = 20_000;
    store.gate = new Gate();
    const fetch = cold.fetch(2);
    await store.gate.entered;
    cold.close();
    store.gate.release();
    await fetch;
    cold.used([]);
    expect(seen).toEqual(['fetch 1/1.seg', '1 true', 'fetch 2/1.seg', '2 true']);
  });
});

describe('an index that a batch needs', () => {
  it('stays on the disk until it is released, also above the budget', async () => {
    const { cold, seen, clock } = node();
    const release = await cold.hold(1);
    clock.ms = 20_000;
    await cold.fetch(2);
    clock.ms = 40_000;
    cold.used([]);
    expect([cold.isLocal(1), cold.isLocal(2)]).toEqual([true, false]);
    release();
    clock.ms = 60_000;
    await cold.fetch(2);
    await until('the other index has left', () => seen.includes('remove 1'));
  });

  it('is not held after a fetch that failed', async () => {
    const { cold, clock, store } = node();
    store.isAway = true;
    await expect(cold.hold(1)).rejects.toThrow('the store is away');
    store.isAway = false;
    await cold.fetch(1);
    clock.ms = 20_000;
    await cold.fetch(2);
    expect(cold.isLocal(1)).toBe(false);
  });

  it('is fetched in an older state if a backup holds that', async () => {
    const { cold, seen, served } = node();
    served.set(1, manifest(1, 2));
    (await cold.holdState(manifest(1)))();
    expect(seen).toEqual(['fetch 1/2.seg', '1 true', 'fetch 1/1.seg']);
  });

  it('is on the disk when it was created here, and not when only its name changed', () => {
    const { cold } = node([1]);
    for (const id of [1, 2]) cold.committed(id, manifest(id));
    expect([cold.isLocal(1), cold.isLocal(2), cold.localBytes]).toEqual([true, false, 60]);
    cold.committed(1, null);
    expect(cold.localBytes).toBe(0);
  });
});

it('a node that starts keeps what is on its disk, within the budget', () => {
  const { cold, seen } = node([1, 2]);
  cold.begin([manifest(1), manifest(2), manifest(3)]);
  expect(seen).toEqual(['remove 3', 'remove 1']);
  expect(cold.isLocal(2)).toBe(true);
});
