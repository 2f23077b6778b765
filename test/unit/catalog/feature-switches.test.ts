/** Experimental features on a store: what is kept, and what holds at a start. */
import { describe, expect, it } from 'vitest';
import { FeatureSwitches } from '../../../src/catalog/feature-switches.ts';
import { NO_FEATURES } from '../../../src/model/features.ts';
import { encodeKey } from '../../../src/storage/database/key-encoding.ts';
import { put } from '../../../src/storage/database/key-value-store.ts';
import { MemoryStore } from '../../support/memory-store.ts';

describe('feature switches', () => {
  it('are all off in a new instance', async () => {
    const switches = await FeatureSwitches.load(new MemoryStore(), []);
    expect(switches.current).toEqual(NO_FEATURES);
    expect(Object.values(switches.current).every((on) => on === false)).toBe(true);
  });

  it('survive a restart, one by one', async () => {
    const store = new MemoryStore();
    const first = await FeatureSwitches.load(store, []);
    await first.update({ containsFilter: true, network: true });
    expect(await first.update({ network: false, legacySearch: null })).toEqual({
      ...NO_FEATURES,
      containsFilter: true,
    });
    expect((await FeatureSwitches.load(store, [])).current).toEqual({
      ...NO_FEATURES,
      containsFilter: true,
    });
  });

  it('show an update only when it is durable, and lose none of two at once', async () => {
    const store = new MemoryStore();
    const switches = await FeatureSwitches.load(store, []);
    const updates = [switches.update({ metrics: true }), switches.update({ multimodal: true })];
    expect(switches.current.metrics).toBe(false);
    const [, second] = await Promise.all(updates);
    expect(second).toEqual({ ...NO_FEATURES, metrics: true, multimodal: true });
    expect((await FeatureSwitches.load(store, [])).current).toEqual(second);
  });

  it('that a start forces on may be turned off until the next start, and are not stored as on', async () => {
    const store = new MemoryStore();
    const forced = await FeatureSwitches.load(store, ['containsFilter']);
    expect(forced.current.containsFilter).toBe(true);
    await forced.update({ metrics: true });
    expect((await FeatureSwitches.load(store, [])).current.containsFilter).toBe(false);
    expect((await forced.update({ containsFilter: false })).containsFilter).toBe(false);
    expect((await FeatureSwitches.load(store, ['containsFilter'])).current.containsFilter).toBe(
      true,
    );
  });

  it('of another version are left out', async () => {
    const store = new MemoryStore();
    const value = new TextEncoder().encode('{"vectorStore":true,"metrics":true,"network":1}');
    await store.write([put(encodeKey('meta', 'features'), value)]);
    expect((await FeatureSwitches.load(store, [])).current).toEqual({
      ...NO_FEATURES,
      metrics: true,
    });
  });
});
