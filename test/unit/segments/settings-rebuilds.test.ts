/** The predicted rebuilds of a settings change are those that it causes. */
import { describe, expect, it } from 'vitest';
import { fileNamesOf } from '../../../src/model/index-manifest.ts';
import type { Settings } from '../../../src/model/settings.ts';
import { settingsRebuilds } from '../../../src/segments/settings-rebuilds.ts';
import { TestIndex } from '../indexing/support.ts';

const userProvided = { source: 'userProvided', dimensions: 2 } as const;
const start: Partial<Settings> = {
  filterableAttributes: ['year'],
  embedders: { kept: userProvided },
};

/** The component whose files come into being, by the change that asks for them. */
const changes: readonly (readonly [Partial<Settings>, readonly string[]])[] = [
  [{}, []],
  [{ rankingRules: ['words', 'exactness'] }, []],
  [{ synonyms: { a: ['b'] } }, []],
  [{ filterableAttributes: [] }, []],
  [{ searchableAttributes: ['title', '*'] }, []],
  [{ rankingRules: ['year:desc'] }, []],
  [{ searchableAttributes: ['title'] }, ['documents']],
  [{ stopWords: ['the'] }, ['documents']],
  [{ dictionary: ['J. R.'] }, ['documents']],
  [{ sortableAttributes: ['title'] }, ['columns']],
  [{ embedders: { kept: { ...userProvided, binaryQuantized: true } } }, ['vectors']],
  [{ embedders: {} }, ['documents']],
];

describe('what a change of settings would rebuild', () => {
  it.each(changes)('%j: files of %j', async (change, components) => {
    const index = new TestIndex({ settings: start });
    for (const id of [1, 2])
      await index.apply(
        index.upsert([{ id, title: `the ${id}`, year: id, _vectors: { kept: [id, 1] } }]),
      );
    const { settings: before, segments } = index.manifest;
    const after = { ...before, ...change };
    const told = settingsRebuilds(segments, before, after);
    expect(told.map(({ component }) => component)).toEqual(components);
    for (const one of told) {
      expect(one).toMatchObject({ segments: 2, documents: 2 });
      expect(one.bytes).toBeGreaterThan(0);
    }
    const names = new Set(fileNamesOf(segments));
    await index.applySettings(change);
    const isRebuilt = fileNamesOf(index.manifest.segments).some((name) => !names.has(name));
    expect(isRebuilt).toBe(components.length > 0);
  });
});
