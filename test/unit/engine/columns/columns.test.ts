import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CorruptionError } from '../../../../src/core/errors.ts';
import { ColumnsFileBuilder } from '../../../../src/engine/columns/columns-file-builder.ts';
import type { Column } from '../../../../src/engine/columns/columns-reader.ts';
import { ColumnsReader } from '../../../../src/engine/columns/columns-reader.ts';
import { normalizeValue } from '../../../../src/engine/columns/normalize-value.ts';
import type { ValueSet } from '../../../../src/engine/columns/value-postings.ts';
import { JsonTape } from '../../../../src/engine/json/json-tape.ts';
import { toArray } from '../../../../src/engine/sets/bitset.ts';
import { columnRules } from '../../../../src/segments/columns/column-coverage.ts';
import { fromArray } from '../../../support/bits.ts';
import { amount } from '../../../support/run-length.ts';

type Documents = ReadonlyMap<number, unknown>;

const utf8 = new TextEncoder();
const DOCS = 4096;

function build(documents: Documents, patterns: readonly string[]): Uint8Array {
  const builder = new ColumnsFileBuilder(columnRules(patterns));
  const tape = new JsonTape();
  for (const [docId, document] of documents) {
    const json =
      typeof document === 'string' ? utf8.encode(document) : utf8.encode(JSON.stringify(document));
    tape.scan(json, 0, json.length);
    builder.addDocument(docId, tape);
  }
  return Uint8Array.from(builder.finish().flatMap((part) => [...part]));
}

const open = (documents: Documents, patterns: readonly string[] = ['*']): ColumnsReader =>
  new ColumnsReader('test', build(documents, patterns));

interface NaiveColumn {
  /** Value → spelling by document. */
  readonly strings: Map<string, Map<number, string>>;
  readonly numbers: Map<number, Set<number>>;
  readonly existing: Set<number>;
  readonly nulls: Set<number>;
  readonly empties: Set<number>;
}

/** The definitions of relevance.md 5.2 on JavaScript objects. */
function naiveColumns(documents: Documents): Map<string, NaiveColumn> {
  const columns = new Map<string, NaiveColumn>();
  const at = (path: string): NaiveColumn => {
    let column = columns.get(path);
    if (!column) {
      column = {
        strings: new Map(),
        numbers: new Map(),
        existing: new Set(),
        nulls: new Set(),
        empties: new Set(),
      };
      columns.set(path, column);
    }
    return column;
  };
  const leaf = (docId: number, path: string, value: unknown): void => {
    if (Array.isArray(value)) for (const element of value) leaf(docId, path, element);
    else if (typeof value === 'object' && value !== null) members(docId, `${path}.`, value);
    else if (typeof value === 'number') {
      const known = at(path).numbers.get(value + 0) ?? new Set();
      at(path).numbers.set(value + 0, known.add(docId));
    } else if ((typeof value === 'string' && value !== '') || typeof value === 'boolean') {
      const text = String(value);
      const key = cut(normalizeValue(text));
      const known = at(path).strings.get(key) ?? new Map<number, string>();
      known.set(docId, text);
      at(path).strings.set(key, known);
    }
  };
  const members = (docId: number, prefix: string, object: object): void => {
    for (const [name, value] of Object.entries(object)) {
      const column = at(prefix + name);
      column.existing.add(docId);
      if (value === null) column.nulls.add(docId);
      const isEmptyContainer =
        typeof value === 'object' && value !== null && Object.keys(value).length === 0;
      if (value === '' || isEmptyContainer) column.empties.add(docId);
      leaf(docId, prefix + name, value);
    }
  };
  for (const [docId, document] of documents) members(docId, '', document as object);
  return columns;
}

/** The longest prefix of whole characters within 468 bytes. */
function cut(text: string): string {
  let kept = '';
  for (const character of text) {
    if (utf8.encode(kept + character).length > 468) break;
    kept += character;
  }
  return kept;
}

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

function gathered(add: (bits: Uint32Array) => void): number[] {
  const bits = fromArray([], DOCS);
  add(bits);
  return [...toArray(bits)];
}

const sorted = (docIds: Iterable<number>): number[] => [...docIds].sort((a, b) => a - b);

/**
 * Every method of `values` against the documents of each value, in ascending order of the values.
 */
function expectValueSet(
  values: ValueSet,
  documentsOf: readonly (readonly number[])[],
  all: readonly number[],
): void {
  expect(values.count).toBe(documentsOf.length);
  const wholeCounts = new Uint32Array(values.count);
  values.countInto(fromArray(all, DOCS), wholeCounts);
  expect([...wholeCounts]).toEqual(documentsOf.map(({ length }) => length));
  const some = all.filter((docId) => docId % 3 !== 1);
  const someCounts = new Uint32Array(values.count);
  values.countInto(fromArray(some, (all.at(-1) ?? 0) - 2), someCounts);
  const inside = (docId: number) =>
    docId % 3 !== 1 && docId >>> 5 < ((all.at(-1) ?? 0) - 2 + 31) >>> 5;
  expect([...someCounts]).toEqual(documentsOf.map((docIds) => docIds.filter(inside).length));
  expect(documentsOf.map((_, ordinal) => values.documentFrequency(ordinal))).toEqual(
    documentsOf.map(({ length }) => length),
  );
  for (const [lo, hi] of [
    [0, values.count],
    [1, values.count - 1],
    [0, 1],
    [values.count, values.count],
  ] as const) {
    if (lo > hi || hi > values.count) continue;
    const expected = sorted(new Set(documentsOf.slice(lo, hi).flat()));
    expect(gathered((bits) => values.addDocuments(lo, hi, bits))).toEqual(expected);
  }
  const ordinalsOf = new Map<number, number[]>(
    [...all, 0, 1, DOCS - 1].map((docId) => [docId, []]),
  );
  for (const [ordinal, docIds] of documentsOf.entries())
    for (const docId of docIds) ordinalsOf.get(docId)?.push(ordinal);
  const visited = new Map([...ordinalsOf.keys()].map((docId): [number, number[]] => [docId, []]));
  for (const [docId, ordinals] of visited)
    values.forEachOf(docId, (ordinal) => ordinals.push(ordinal));
  expect(visited).toEqual(ordinalsOf);
  const ends = [...ordinalsOf].map(([docId, ordinals]) => [
    docId,
    ordinals[0] ?? -1,
    ordinals.at(-1) ?? -1,
  ]);
  expect(
    [...ordinalsOf.keys()].map((docId) => [docId, values.leastOf(docId), values.greatestOf(docId)]),
  ).toEqual(ends);
}

function expectColumn(column: Column, naive: NaiveColumn, all: readonly number[]): void {
  expect(gathered((bits) => column.addExisting(bits))).toEqual(sorted(naive.existing));
  expect(gathered((bits) => column.addNull(bits))).toEqual(sorted(naive.nulls));
  expect(gathered((bits) => column.addEmpty(bits))).toEqual(sorted(naive.empties));
  const numbers = sorted(naive.numbers.keys());
  expect(numbers.map((_, ordinal) => column.numbers.valueAt(ordinal))).toEqual(numbers);
  const probes = [...numbers, -1e9, 0, 0.5, 1e9];
  expect(probes.map((probe) => column.numbers.lowerBound(probe))).toEqual(
    probes.map((probe) => numbers.filter((number) => number < probe).length),
  );
  expectValueSet(
    column.numbers,
    numbers.map((number) => sorted(naive.numbers.get(number) ?? [])),
    all,
  );
  expectStrings(column, naive, all);
}

function expectStrings({ strings }: Column, naive: NaiveColumn, all: readonly number[]): void {
  const texts = [...naive.strings.keys()].sort(byBytes);
  expect(texts.map((_, ordinal) => strings.textAt(ordinal))).toEqual(texts);
  expect(texts.map((_, ordinal) => new TextDecoder().decode(strings.bytesAt(ordinal)))).toEqual(
    texts,
  );
  expect(texts.map((text) => strings.find(utf8.encode(text)))).toEqual(
    texts.map((_, ordinal) => ordinal),
  );
  const spelled = texts.flatMap((text, ordinal) =>
    [...(naive.strings.get(text) ?? [])].map(([docId, spelling]) => ({ docId, ordinal, spelling })),
  );
  expect(spelled.map(({ docId, ordinal }) => strings.spellingOf(docId, ordinal))).toEqual(
    spelled.map(({ spelling }) => spelling),
  );
  const probes = ['', 'a', 'm', 'zz', 'été', '\u{10ffff}', ...texts.map((text) => `${text}!`)];
  expect(probes.map((probe) => strings.lowerBound(utf8.encode(probe)))).toEqual(
    probes.map((probe) => texts.filter((text) => byBytes(text, probe) < 0).length),
  );
  expect(probes.map((probe) => strings.find(utf8.encode(probe)))).toEqual(
    probes.map((probe) => texts.indexOf(probe)),
  );
  expectValueSet(
    strings,
    texts.map((text) => sorted((naive.strings.get(text) ?? new Map()).keys())),
    all,
  );
}

function expectAll(documents: Documents): void {
  const reader = open(documents);
  reader.verify();
  const naive = naiveColumns(documents);
  expect([...reader.paths]).toEqual([...naive.keys()].sort());
  for (const [path, expected] of naive) {
    const column = reader.column(path);
    if (column === null) throw new Error(`no column ${path}`);
    expect(column.path).toBe(path);
    expectColumn(column, expected, [...documents.keys()]);
  }
  expect(reader.column('no such path')).toBeNull();
}

const word = fc.constantFrom(
  'Red',
  'red',
  'RED',
  ' red ',
  'Été',
  'ÉTÉ',
  'ete',
  'été',
  'ﬁsh',
  'Fish',
  'Jean-Luc O’Neil',
  "O'Neil Bob's",
  'JOHN smith',
  'Straße',
  'ΣΊΣΥΦΟΣ',
  'İstanbul',
  '東京',
  '\u{1f600} Smile',
  '  ',
  '\u3000',
  'a\u0085',
  'x'.repeat(467),
  `${'x'.repeat(467)}é`,
  `${'Ab '.repeat(300)}`,
  '1',
  'true',
  'a"\\b',
);
const leaf = fc.oneof(
  word,
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom(0, -0, 1, 1.5, -3, 1e300, 123456789012345, 2 ** 53, 0.1),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.constant(''),
);
const name = fc.constantFrom('a', 'b', 'c', 'a.b', 'é', 'b.c');
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { weight: 6, arbitrary: leaf },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    { weight: 2, arbitrary: fc.dictionary(name, tie('value'), { maxKeys: 3 }) },
  ),
})).value;
const documentsOf = (docIds: fc.Arbitrary<number[]>) =>
  docIds.chain((ids) =>
    fc
      .array(fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true }), {
        minLength: ids.length,
        maxLength: ids.length,
      })
      .map((documents): Documents => new Map(ids.map((id, i) => [id, documents[i] ?? {}]))),
  );
const sparse = fc
  .uniqueArray(fc.integer({ min: 0, max: 600 }), { maxLength: 20 })
  .map((ids) => sorted(ids));
const dense = fc
  .tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 20 }))
  .map(([from, count]) => Array.from({ length: count }, (_, i) => from + i));

describe('columns of random documents', () => {
  it('answer like a naive evaluator, when DocIds are consecutive', () => {
    fc.assert(fc.property(documentsOf(dense), expectAll), { numRuns: amount(6, 160) });
  });

  it('answer like a naive evaluator, when DocIds have gaps', () => {
    fc.assert(fc.property(documentsOf(sparse), expectAll), { numRuns: amount(6, 160) });
  });

  it('hold many values of one kind, at most one a document', () => {
    const documents = new Map(
      Array.from({ length: 700 }, (_, i) => [
        i + 17,
        { size: i % 300, tag: `Tag ${i % 290}`, rare: i % 50 === 0 ? i : [] },
      ]),
    );
    expectAll(documents);
  });

  it('hold many values a document', () => {
    const documents = new Map(
      Array.from({ length: 400 }, (_, i) => [
        i,
        { tags: [`t${i % 7}`, `T${i % 7}`, `u${i}`], sizes: [i, i % 3, i] },
      ]),
    );
    expectAll(documents);
  });

  it('answer like a naive evaluator, when DocIds are consecutive piece by piece', () => {
    const documents = new Map(
      Array.from({ length: 600 }, (_, i) => [
        5 + i + 77 * Math.floor(i / 150),
        { size: i % 90, tags: [`t${i % 7}`, `u${i}`], late: i > 400 ? i % 3 : [] },
      ]),
    );
    expectAll(documents);
  });
});

describe('coverage', () => {
  const documents = new Map([[0, { a: { b: 1, c: [{ d: 'x' }] }, ab: 2, 'a.e': 3, b: { a: 4 } }]]);

  it.each([
    [['a'], ['a', 'a.b', 'a.c', 'a.c.d', 'a.e']],
    [['a.c'], ['a.c', 'a.c.d']],
    [['a*'], ['a', 'a.b', 'a.c', 'a.c.d', 'a.e', 'ab']],
    [['*b'], ['a.b', 'ab', 'b', 'b.a']],
    [['*c*'], ['a.c', 'a.c.d']],
    [['none'], []],
  ])('of %j is %j', (patterns, paths) => {
    expect(open(documents, patterns).paths).toEqual(paths);
  });
});

describe('damage', () => {
  const documents = new Map(
    Array.from({ length: 50 }, (_, i) => [
      i * 2,
      { name: `Name ${i}`, tags: ['A', `b${i}`], size: i % 5, gone: null },
    ]),
  );

  it('is found by verify wherever one bit is wrong', () => {
    const bytes = build(documents, ['*']);
    new ColumnsReader('test', bytes).verify();
    fc.assert(
      fc.property(fc.nat({ max: bytes.length - 1 }), fc.nat({ max: 7 }), (at, bit) => {
        const damaged = bytes.slice();
        damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
        let error: unknown = null;
        try {
          new ColumnsReader('test', damaged).verify();
        } catch (caught) {
          error = caught;
        }
        // The bytes between sections carry nothing.
        if (error !== null) expect(error).toBeInstanceOf(CorruptionError);
        else expect(bytes[at]).toBe(0);
      }),
      { numRuns: amount(60, 2000) },
    );
  });

  it('is found when the file is cut short or another kind of file', () => {
    const bytes = build(documents, ['*']);
    expect(() => new ColumnsReader('test', bytes.subarray(0, bytes.length - 8))).toThrow(
      CorruptionError,
    );
    expect(() => new ColumnsReader('test', new Uint8Array(0))).toThrow(CorruptionError);
    const other = bytes.slice();
    other.set(utf8.encode('GANNETSG'));
    expect(() => new ColumnsReader('test', other)).toThrow(/GANNETCO/);
  });
});
