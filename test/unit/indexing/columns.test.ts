import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyIndex } from '../../../scripts/lib/verify-index.ts';
import { ColumnsReader } from '../../../src/engine/columns/columns-reader.ts';
import { hasBit, toArray } from '../../../src/engine/sets/bitset.ts';
import { segmentsAfterMerge } from '../../../src/indexing/files/finished-merge.ts';
import { patternCovers } from '../../../src/model/attribute-pattern.ts';
import {
  encodeManifest,
  fileNamesOf,
  type SegmentEntry,
  type SegmentFile,
} from '../../../src/model/index-manifest.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/settings.ts';
import { FieldValues } from '../../../src/search/snapshot/field-values.ts';
import type { IndexSnapshot } from '../../../src/search/snapshot/index-snapshot.ts';
import { SnapshotCache } from '../../../src/search/snapshot/snapshot-cache.ts';
import { columnPatterns } from '../../../src/segments/columns/column-coverage.ts';
import { amount } from '../../support/run-length.ts';
import { TestIndex } from './support.ts';

function snapshotOf(index: TestIndex): IndexSnapshot {
  const bytes = encodeManifest(index.manifest);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return new SnapshotCache(() => index.directory, 1 << 20).get(
    `1:${index.manifest.generation}`,
    shared,
    index.location,
  );
}

/** Value → living documents, by the columns. */
function valuesOf(snapshot: IndexSnapshot, path: string): Record<string, number[]> {
  const found: Record<string, number[]> = {};
  for (const { column, dead } of new FieldValues(snapshot, path).parts) {
    for (const kind of ['numbers', 'strings'] as const) {
      for (let ordinal = 0; ordinal < column[kind].count; ordinal++) {
        const text =
          kind === 'numbers'
            ? String(column.numbers.valueAt(ordinal))
            : column.strings.textAt(ordinal);
        const bits = new Uint32Array(snapshot.bitsetLength);
        column[kind].addDocuments(ordinal, ordinal + 1, bits);
        const living = [...toArray(bits)].filter((docId) => dead === null || !hasBit(dead, docId));
        if (living.length > 0)
          found[text] = [...(found[text] ?? []), ...living].sort((a, b) => a - b);
      }
    }
  }
  return found;
}

/** The same of a top-level field with one plain value. */
function expectedValues(index: TestIndex, field: string): Record<string, number[]> {
  const found: Record<string, number[]> = {};
  for (const { docId, json } of index.documents()) {
    const value = (JSON.parse(json) as Record<string, unknown>)[field];
    if (value === undefined) continue;
    const text = String(value).toLowerCase();
    found[text] = [...(found[text] ?? []), docId];
  }
  return found;
}

/**
 * Columns are correct: one file of a segment for each path; every file is valid and none is missing
 * or left over.
 */
function expectColumns(index: TestIndex, fields: readonly string[]): void {
  const snapshot = snapshotOf(index);
  for (const field of fields) {
    expect(valuesOf(snapshot, field)).toEqual(expectedValues(index, field));
    for (const files of snapshot.columns) {
      expect(files.filter((file) => file.column(field) !== null).length).toBeLessThanOrEqual(1);
    }
  }
  expect(verifyIndex(index.manifest, index.directory).problems).toEqual([]);
}

const columnFiles = ({ files }: SegmentEntry): SegmentFile[] =>
  files.filter(({ component }) => component === 'columns');
const columnNames = (index: TestIndex) =>
  index.manifest.segments.map((segment) => columnFiles(segment).map(({ name }) => name));
const patterns = (index: TestIndex) =>
  index.manifest.segments.map((segment) => columnFiles(segment).map(({ covers }) => covers));

const films = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: from + i,
    title: `Film ${(from + i) % 7}`,
    year: 1990 + ((from + i) % 5),
    tag: 'T',
  }));

async function filledIndex(
  filterableAttributes: readonly string[] = ['year'],
  threads = 1,
): Promise<TestIndex> {
  const index = new TestIndex({ settings: { filterableAttributes }, threads });
  await index.apply(index.upsert(films(0, 40)));
  await index.apply(index.upsert(films(30, 20)), index.deleteIds('3', '35'));
  return index;
}

describe('columnPatterns', () => {
  it('names everything that may need values', () => {
    const off = { equality: false, comparison: false };
    const settings = {
      ...DEFAULT_SETTINGS,
      filterableAttributes: [
        'b',
        'b.c',
        { attributePatterns: ['off'], features: { facetSearch: false, filter: off } },
        { attributePatterns: ['f*', '*g'], features: { facetSearch: true, filter: off } },
        '_geo',
      ],
      sortableAttributes: ['a', 'fx'],
      rankingRules: ['words', 'rank:with:colon:desc', 'exactness'],
      distinctAttribute: 'sku',
    };
    expect(columnPatterns(settings)).toEqual([
      '*g',
      '_geo',
      'a',
      'b',
      'f*',
      'rank:with:colon',
      'sku',
    ]);
    expect(
      columnPatterns({
        ...settings,
        sortableAttributes: ['x'],
        filterableAttributes: ['*', '_geo'],
      }),
    ).toEqual(['*', '_geo']);
    expect(columnPatterns(DEFAULT_SETTINGS)).toEqual([]);
  });
});

describe('new documents', () => {
  it('come with one columns file a segment', async () => {
    const index = await filledIndex(['year', 'tag']);
    expect(patterns(index)).toEqual([[['tag', 'year']], [['tag', 'year']]]);
    expectColumns(index, ['year', 'tag']);
    expect(snapshotOf(index).columns[0]?.[0]?.column('title')).toBeNull();
  });

  it('come without a file when nothing needs columns', async () => {
    const index = await filledIndex([]);
    expect(index.directory.list().filter((name) => name.endsWith('.col'))).toEqual([]);
    expect(columnNames(index)).toEqual([[], []]);
  });
});

describe('a change of settings', () => {
  it('adds files with only the new patterns, and nothing else is written', async () => {
    const index = await filledIndex(['year']);
    const before = index.directory.list();
    const kept = columnNames(index);
    await index.applySettings({
      filterableAttributes: ['year', 'tag'],
      sortableAttributes: ['title'],
    });
    expect(patterns(index)).toEqual([
      [['year'], ['tag', 'title']],
      [['year'], ['tag', 'title']],
    ]);
    expect(columnNames(index).map(([first]) => first)).toEqual(kept.map(([first]) => first));
    expect(
      index.directory
        .list()
        .filter((name) => !before.includes(name))
        .sort(),
    ).toEqual(
      columnNames(index)
        .map(([, added]) => added)
        .sort(),
    );
    expectColumns(index, ['year', 'tag', 'title']);
  });

  it('writes nothing when the files have all that is needed, and drops files that nothing needs', async () => {
    const index = await filledIndex(['year', 'tag']);
    await index.applySettings({ sortableAttributes: ['title'] });
    const before = index.directory.list();
    await index.applySettings({ filterableAttributes: ['tag'] });
    expect(index.directory.list()).toEqual(before);
    expect(patterns(index)[0]).toEqual([['tag', 'year'], ['title']]);
    await index.applySettings({ sortableAttributes: ['year'], filterableAttributes: [] });
    expect(patterns(index)[0]).toEqual([['tag', 'year']]);
    expect(index.directory.list()).toEqual(before);
    expectColumns(index, ['year']);
  });

  it('that overlaps the patterns of a file rebuilds it, so that each path stays in one file', async () => {
    const index = await filledIndex(['year']);
    await index.applySettings({ filterableAttributes: ['year', 'title'] });
    await index.applySettings({ filterableAttributes: ['t*', 'year'] });
    expect(patterns(index)[0]).toEqual([['year'], ['t*']]);
    expectColumns(index, ['year', 'tag', 'title']);
    await index.applySettings({ filterableAttributes: ['*', '_geo'] });
    expect(patterns(index)[0]).toEqual([['*', '_geo']]);
    expectColumns(index, ['year', 'tag', 'title', 'id']);
    await index.applySettings({ filterableAttributes: ['title'] });
    expect(patterns(index)[0]).toEqual([['*', '_geo']]);
  });

  it('that changes tokenization keeps the files of segments whose documents all live', async () => {
    const index = await filledIndex(['year']);
    const [first, second] = columnNames(index);
    await index.applySettings({ stopWords: ['film'] });
    expect(columnNames(index)[0]).not.toEqual(first);
    expect(columnNames(index)[1]).toEqual(second);
    expectColumns(index, ['year']);
    await index.applySettings({ stopWords: [], filterableAttributes: ['year', 'tag'] });
    expectColumns(index, ['year', 'tag']);
  });

  it('is seen by the batch that comes next', async () => {
    const index = await filledIndex(['year']);
    await index.applySettings({ filterableAttributes: ['year', 'tag'] });
    await index.apply(index.deleteIds('1'), index.upsert(films(90, 3)));
    expect(patterns(index)).toEqual([[['year'], ['tag']], [['year'], ['tag']], [['tag', 'year']]]);
    expectColumns(index, ['year', 'tag']);
  });
});

describe('a merge', () => {
  it('has one file of the current coverage', async () => {
    const index = await filledIndex(['year']);
    await index.applySettings({ filterableAttributes: ['tag', 'year'] });
    await index.mergeAll();
    const [{ id }] = index.manifest.segments as [SegmentEntry];
    expect(fileNamesOf(index.manifest.segments)).toEqual([`${id}.seg`, `${id}.col`]);
    expect(patterns(index)).toEqual([[['tag', 'year']]]);
    expectColumns(index, ['year', 'tag']);
  });

  it('keeps the columns of fields that no living document has', async () => {
    const index = new TestIndex({ settings: { filterableAttributes: ['*'] } });
    await index.apply(index.upsert([{ id: 1, year: 1990 }, { id: 3 }]));
    await index.apply(index.upsert([{ id: 2, tag: 'red' }]));
    await index.apply(index.deleteIds('1'));
    await index.mergeAll();
    expect(snapshotOf(index).columns[0]?.[0]?.paths).toEqual(['id', 'tag', 'year']);
    expectColumns(index, ['year', 'tag']);
  });

  it('is stale when its inputs got other columns meanwhile', async () => {
    const index = await filledIndex(['year']);
    const merge = await index.writer.merge(index.manifest.segments.map(({ id }) => id));
    if (merge === null) throw new Error('nothing was merged');
    await index.apply(index.deleteIds('2'));
    expect(segmentsAfterMerge(merge, index.manifest.segments)).toHaveLength(1);
    await index.applySettings({ filterableAttributes: ['year', 'tag'] });
    expect(segmentsAfterMerge(merge, index.manifest.segments)).toBeNull();
  });
});

type Step =
  | { readonly kind: 'upsert'; readonly from: number; readonly count: number }
  | { readonly kind: 'delete'; readonly from: number; readonly count: number }
  | {
      readonly kind: 'settings';
      readonly filterable: readonly string[];
      readonly sortable: readonly string[];
      readonly stopWords: readonly string[];
    }
  | { readonly kind: 'merge'; readonly count: number };

const range = { from: fc.nat({ max: 60 }), count: fc.integer({ min: 1, max: 20 }) };
const names = (all: readonly string[]) =>
  fc.subarray([...all], { maxLength: Math.min(2, all.length) });
const step = fc.oneof(
  fc.record({ kind: fc.constant('upsert' as const), ...range }),
  fc.record({ kind: fc.constant('delete' as const), ...range }),
  fc.record({
    kind: fc.constant('settings' as const),
    filterable: names(['year', 'tag', 't*', '*e', '*', 'title']),
    sortable: names(['year', 'title', '_geo']),
    stopWords: names(['film']),
  }),
  fc.record({ kind: fc.constant('merge' as const), count: fc.integer({ min: 1, max: 3 }) }),
);

async function take(index: TestIndex, step: Step): Promise<void> {
  const ids = (from: number, count: number) =>
    Array.from({ length: count }, (_, i) => String(from + i));
  if (step.kind === 'upsert') await index.apply(index.upsert(films(step.from, step.count)));
  else if (step.kind === 'delete')
    await index.apply(index.deleteIds(...ids(step.from, step.count)));
  else if (step.kind === 'settings') {
    const { filterable, sortable, stopWords } = step;
    await index.applySettings({
      filterableAttributes: filterable,
      sortableAttributes: sortable,
      stopWords,
    });
  } else {
    const inputs = index.manifest.segments.slice(0, step.count).map(({ id }) => id);
    if (inputs.length === 0) return;
    await index.merge(inputs);
  }
}

describe('any history', () => {
  it('leaves columns that tell what the living documents hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const index = new TestIndex();
        for (const one of steps) await take(index, one);
        const covered = columnPatterns(index.manifest.settings);
        const isCovered = (field: string) =>
          covered.some((pattern) => patternCovers(pattern, field));
        expectColumns(index, ['year', 'tag', 'title', 'id'].filter(isCovered));
      }),
      { numRuns: amount(8, 240) },
    );
  });
});

describe('damage', () => {
  it('of a columns file is found, and so is a missing one', async () => {
    const index = await filledIndex(['year']);
    const [[name = ''] = []] = columnNames(index);
    const { bytes } = index.directory.open(name);
    bytes[200] = (bytes[200] ?? 0) ^ 1;
    expect(verifyIndex(index.manifest, index.directory).problems.join()).toContain(`, ${name}: `);
    expect(() => new ColumnsReader(name, bytes).verify()).toThrow(/is damaged at byte/);
    bytes[200] = (bytes[200] ?? 0) ^ 1;
    index.directory.remove(name);
    expect(verifyIndex(index.manifest, index.directory).problems).toHaveLength(1);
    index.commit({ settings: { ...index.manifest.settings, sortableAttributes: ['title'] } });
    expect(verifyIndex(index.manifest, index.directory).problems.join()).toContain(
      'has no columns of "title"',
    );
  });
});

describe('_geo', () => {
  const bad = [
    7,
    'x',
    [],
    {},
    { lat: 1 },
    { lat: 1, lng: 2, alt: 3 },
    { lat: ' 1', lng: 2 },
    { lat: '', lng: 2 },
    { lat: true, lng: 1 },
    { lat: null, lng: 1 },
    { lat: '1e999', lng: 1 },
  ];
  const good = [null, { lat: 1, lng: 2 }, { lng: '-2.5e1', lat: '91' }];

  it.each(bad)('%j fails its task while the index filters or sorts by it', async (geo) => {
    for (const threads of [1, 2]) {
      const index = new TestIndex({ settings: { sortableAttributes: ['_geo'] }, threads });
      const file = index.spool('/spool/geo', JSON.stringify([{ id: 'town', _geo: geo }]));
      const change = await index.apply(
        index.upsert(films(0, 2)),
        index.upsert('', { payload: file }),
      );
      expect(change.results[0]?.error).toBeNull();
      expect(change.results[1]?.error?.code).toBe('invalid_document_geo_field');
      expect(change.results[1]?.error?.message).toContain('`town`');
      expect(index.documents()).toHaveLength(2);
    }
  });

  it('of any form is stored while the index does not use it, and then cannot be made filterable', async () => {
    const index = new TestIndex();
    await index.apply(
      index.upsert([
        { id: 1, _geo: { lat: 1, lng: 2 } },
        { id: 2, _geo: 'nowhere' },
      ]),
    );
    await expect(index.applySettings({ filterableAttributes: ['_geo'] })).rejects.toMatchObject({
      code: 'invalid_document_geo_field',
      message: expect.stringContaining('`2`'),
    });
    await index.applySettings({ filterableAttributes: ['_geo*'] });
    await index.apply(index.deleteIds('2'));
    await index.applySettings({ filterableAttributes: ['_geo'] });
    expect(snapshotOf(index).columns[0]?.[0]?.geo?.pointOf(0)).toEqual({ lat: 1, lng: 2 });
  });

  it('gives points and columns of its members', async () => {
    const index = new TestIndex({ settings: { filterableAttributes: ['_geo'] } });
    await index.apply(index.upsert(good.map((geo, id) => ({ id, _geo: geo }))));
    const snapshot = snapshotOf(index);
    const geo = snapshot.columns[0]?.[0]?.geo;
    expect([0, 1, 2].map((docId) => geo?.pointOf(docId) ?? null)).toEqual([
      null,
      { lat: 1, lng: 2 },
      { lat: 91, lng: -25 },
    ]);
    expect(valuesOf(snapshot, '_geo.lat')).toEqual({ 1: [1], 91: [2] });
    expectColumns(index, []);
  });
});
