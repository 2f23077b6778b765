/** Fragments that the vectors of a file were made of: kept, merged, found out when they are damaged. */

import { expect, it } from 'vitest';
import { concatBytes } from '../../../../src/core/concat-bytes.ts';
import { CorruptionError } from '../../../../src/core/errors.ts';
import { toArray } from '../../../../src/engine/sets/bitset.ts';
import { mergeVectors } from '../../../../src/engine/vectors/merge-vectors.ts';
import { FragmentList, VectorFragments } from '../../../../src/engine/vectors/vector-fragments.ts';
import { vectorSpace } from '../../../../src/engine/vectors/vector-space.ts';
import { VectorsFile } from '../../../../src/engine/vectors/vectors-reader.ts';
import { VectorsWriter } from '../../../../src/engine/vectors/vectors-writer.ts';
import { fromArray } from '../../../support/bits.ts';

const space = vectorSpace({ dimensions: 2, metric: 'cosine', binaryQuantized: false });

/** A file whose documents have a vector of each of these fragments; none = one of no fragment. */
function fileOf(documents: Readonly<Record<number, readonly string[]>>): VectorsFile {
  const writer = new VectorsWriter(space);
  for (const [docId, fragments] of Object.entries(documents)) {
    const vectors = Array.from({ length: Math.max(1, fragments.length) }, (_, n) =>
      Float32Array.of(Number(docId) + 1, n),
    );
    writer.add(Number(docId), vectors, fragments);
  }
  return new VectorsFile('v', concatBytes(writer.finish()));
}

const having = (file: VectorsFile, name: string): number[] => [
  ...toArray(file.documentsOfFragment(name)),
];

it('documents tell the fragments of their vectors, and fragments their documents', () => {
  const file = fileOf({ 1: ['poster', 'text'], 3: [], 4: ['text'] });
  file.verify();
  expect([1, 2, 3, 4].map((docId) => file.fragmentsOf(docId))).toEqual([
    ['poster', 'text'],
    [],
    [],
    ['text'],
  ]);
  expect(having(file, 'poster')).toEqual([1]);
  expect(having(file, 'text')).toEqual([1, 4]);
  expect(having(file, 'other')).toEqual([]);
});

it('a file without fragments is as it was before there were any', () => {
  const file = fileOf({ 1: [], 2: [] });
  expect(file.fragments).toBeNull();
  expect(having(file, 'text')).toEqual([]);
});

it('merged files keep them, by name, for the documents that live', () => {
  const inputs = [
    { reader: fileOf({ 0: ['text'], 3: ['poster', 'text'], 5: ['poster'] }), dead: null },
    { reader: fileOf({ 2: ['b', 'text'], 4: ['text'] }), dead: fromArray([4], 64) },
    { reader: fileOf({ 1: [] }), dead: null },
  ];
  const merged = new VectorsFile('m', concatBytes(mergeVectors(inputs, space)));
  merged.verify();
  expect(having(merged, 'text')).toEqual([0, 2, 3]);
  expect(having(merged, 'poster')).toEqual([3, 5]);
  expect(merged.fragmentsOf(2)).toEqual(['b', 'text']);
  expect(merged.fragmentsOf(1)).toEqual([]);
});

it('a number that stands for no name is damage', () => {
  expect(new VectorFragments(['a'], Uint16Array.of(0, 1, 1)).strayNumber).toBeNull();
  expect(new VectorFragments(['a'], Uint16Array.of(1, 2)).strayNumber).toBe(2);
  const file = fileOf({ 1: ['a'], 2: ['b'] });
  const bytes = concatBytes(createBytes(file));
  bytes[bytes.length - 24] = 9;
  expect(() => new VectorsFile('d', bytes).verify()).toThrow(CorruptionError);
});

const createBytes = (file: VectorsFile): Uint8Array[] =>
  mergeVectors([{ reader: file, dead: null }], space);

it('a list of none has no sections', () => {
  const list = new FragmentList();
  list.set(0, null);
  expect(list.sections(1)).toEqual([]);
});
