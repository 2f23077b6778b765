/** Goal: the kernels of document sets do what walks in plain TypeScript do, over sets of any length. */
import { describe, expect, it } from 'vitest';
import { toArray } from '../../../../src/engine/sets/bitset.ts';
import { SetKernels } from '../../../../src/engine/sets/set-kernels.ts';
import { DocSet } from '../../../../src/search/sets/doc-set.ts';
import { fromArray } from '../../../support/bits.ts';

/** Odd and even, below and above what the memory begins with, and back. */
const LENGTHS = [1, 2, 7, 300, 301, 9001, 5];

let state = 5;
const dice = (sides: number): number => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
  return Math.floor((state / 2 ** 32) * sides);
};
/** About one of `rarity` numbers below `end`, ascending. */
function some(end: number, rarity: number): number[] {
  const docs: number[] = [];
  for (let doc = dice(rarity); doc < end; doc += 1 + dice(2 * rarity - 1)) docs.push(doc);
  return docs;
}

/** Equal texts are compared at once. */
const expectSame = (docs: Uint32Array, wanted: readonly number[]) =>
  expect(docs.join()).toBe(wanted.join());
const ascending = (docs: Iterable<number>): number[] => [...docs].sort((x, y) => x - y);

describe.each(LENGTHS)('kernels over sets of %i words', (words) => {
  const kernels = new SetKernels();
  const end = words * 32;
  const [a, b] = [some(end, 3), some(end, 40)];
  const [aBits, bBits] = [fromArray(a, end), fromArray(b, end)];
  const inB = new Set(b);
  const [shared, rest] = [a.filter((doc) => inB.has(doc)), a.filter((doc) => !inB.has(doc))];
  const expectResult = (count: number, docs: readonly number[]) => {
    expect(count).toBe(docs.length);
    expectSame(toArray(kernels.bitsTo(new Uint32Array(words))), docs);
    expectSame(kernels.listTo(new Uint32Array(count)), docs);
  };

  it('combine them', () => {
    expectResult(kernels.and(aBits, bBits), shared);
    expectResult(kernels.andNot(aBits, bBits), rest);
    expectResult(kernels.or(aBits, bBits), ascending(new Set([...a, ...b])));
    expectResult(kernels.count(aBits), a);
    expectResult(kernels.remove(aBits, a.length, Uint32Array.from(b)), rest);
  });

  it('take what a shorter set lacks for empty, and pass over what a longer one has beyond', () => {
    const half = words >>> 1;
    const low = a.filter((doc) => doc < half * 32);
    expectResult(kernels.and(aBits, new Uint32Array(half).fill(0xffffffff)), low);
    expectResult(kernels.and(aBits, new Uint32Array(words + 9).fill(0xffffffff)), a);
  });

  it('filter lists by bits and by lists', () => {
    const docs = Uint32Array.from(a);
    expectSame(kernels.keep(docs, bBits, words, 1), shared);
    expectSame(kernels.keep(docs, bBits, words, 0), rest);
    const others = Uint32Array.from(b);
    expectSame(kernels.keepListed(docs, others, words, true), shared);
    expectSame(kernels.keepListed(docs, others, words, false), rest);
  });

  it('put the upper halves before the lower ones', () => {
    const chunks = (end >>> 16) + 1;
    const starts = Uint32Array.from({ length: chunks + 1 }, (_, i) =>
      a.reduce((n, doc) => n + (doc < i * 65_536 ? 1 : 0), 0),
    );
    const out = new Uint32Array(a.length + 3);
    kernels.unpack(Uint16Array.from(a), starts, out, 3);
    expectSame(out.subarray(3), a);
  });
});

describe('document sets that are long enough for the kernels', () => {
  const words = 301;
  const end = words * 32;
  const models = [[], some(end, 4000), some(end, 100), some(end, 40), some(end, 3)];
  const sets = models.flatMap((docs) => {
    const listed = DocSet.fromList(Uint32Array.from(docs), words);
    const counted = DocSet.fromBits(fromArray(docs, end));
    return [listed, counted, counted.packed].map((set) => ({ set, docs: new Set(docs) }));
  });
  const pairs = sets.flatMap((one) => sets.map((other) => [one, other] as const));

  it('are combined in each of their forms', () => {
    for (const [{ set, docs }, other] of pairs) {
      const shared = [...docs].filter((doc) => other.docs.has(doc));
      const rest = [...docs].filter((doc) => !other.docs.has(doc));
      const otherBits = fromArray([...other.docs], end);
      expectSame(set.retain(other.set).toList(), shared);
      expectSame(set.intersect(otherBits).toList(), shared);
      expect(set.countShared(other.set)).toBe(shared.length);
      expectSame(set.without(other.set).toList(), rest);
      expectSame(set.subtract(otherBits).toList(), rest);
      const union = DocSet.unionOf([set, other.set], words);
      expectSame(union.toList(), ascending(new Set([...docs, ...other.docs])));
      const longer = words + 40;
      const touched = [...other.docs, end + 3, longer * 32 - 1];
      const patched = set.patched(Uint32Array.from(touched), DocSet.empty(longer), longer);
      expectSame(patched.toList(), rest);
      expectSame(toArray(set.toBits()), [...docs]);
    }
  });
});
