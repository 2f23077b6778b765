/**
 * Goal: a document set behaves as a set, in each of its forms and where they meet. Method: random
 * sets against `Set`.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DocSet } from '../../../../src/search/sets/doc-set.ts';
import { SCRATCH } from '../../../../src/search/sets/search-scratch.ts';
import { TYPED_ARRAY_POOL } from '../../../../src/search/sets/typed-array-pool.ts';
import { amount } from '../../../support/run-length.ts';

const WORDS = 64;
const END = WORDS * 32;

interface Sample {
  readonly set: DocSet;
  readonly model: ReadonlySet<number>;
}

const bitsOf = (docs: Iterable<number>): Uint32Array => {
  const bits = new Uint32Array(WORDS);
  for (const doc of docs) bits[doc >>> 5]! |= 1 << (doc & 31);
  return bits;
};
const ascending = (docs: Iterable<number>): number[] => [...docs].sort((a, b) => a - b);

/** Small and large sets, built from bits and from a list. */
const samples: fc.Arbitrary<Sample> = fc
  .tuple(
    fc.oneof(
      fc.uniqueArray(fc.nat(END - 1), { maxLength: 6 }),
      fc.uniqueArray(fc.nat(END - 1), { maxLength: 31 }),
      fc.uniqueArray(fc.nat(END - 1), { maxLength: END }),
      fc.constant(Array.from({ length: END }, (_, i) => i)),
    ),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([docs, fromList, isPacked]) => {
    const set = fromList
      ? DocSet.fromList(Uint32Array.from(ascending(docs)), WORDS)
      : DocSet.fromBits(bitsOf(docs));
    return { set: isPacked ? set.packed : set, model: new Set(docs) };
  });

function expectSame(set: DocSet, model: Iterable<number>): void {
  const wanted = ascending(model);
  expect([...set.toList()]).toEqual(wanted);
  expect(set.count).toBe(wanted.length);
  expect(set.isEmpty).toBe(wanted.length === 0);
  expect(set.bitsetLength).toBe(WORDS);
}

describe('a document set', () => {
  it('holds the documents that it was built from', () => {
    fc.assert(
      fc.property(samples, fc.nat(END - 1), ({ set, model }, doc) => {
        expectSame(set, model);
        expect(set.has(doc)).toBe(model.has(doc));
      }),
    );
    expectSame(DocSet.empty(WORDS), []);
  });

  it('intersects and subtracts bitsets and sets', () => {
    fc.assert(
      fc.property(samples, samples, (a, b) => {
        const common = [...a.model].filter((doc) => b.model.has(doc));
        const rest = [...a.model].filter((doc) => !b.model.has(doc));
        expectSame(a.set.intersect(bitsOf(b.model)), common);
        expectSame(a.set.retain(b.set), common);
        expectSame(a.set.subtract(bitsOf(b.model)), rest);
        expectSame(a.set.without(b.set), rest);
        expect(a.set.countShared(b.set)).toBe(common.length);
        expectSame(a.set, a.model);
        expectSame(b.set, b.model);
      }),
    );
  });

  it('holds the remaining documents when a search removes documents, a few at a time', () => {
    const portions = fc.array(fc.uniqueArray(fc.nat(END - 1), { maxLength: 40 }), { maxLength: 6 });
    const { lengthMin } = TYPED_ARRAY_POOL;
    TYPED_ARRAY_POOL.lengthMin = WORDS;
    try {
      fc.assert(
        fc.property(samples, portions, fc.boolean(), ({ set, model }, taken, looksBetween) => {
          const left = new Set(model);
          const kept = TYPED_ARRAY_POOL.during(() => {
            let rest = set;
            for (const docs of taken) {
              rest = rest.without(DocSet.fromList(Uint32Array.from(ascending(docs)), WORDS));
              for (const doc of docs) left.delete(doc);
              if (looksBetween) expectSame(rest, left);
              const some = [...docs, 0, 7, END - 1];
              expect(some.filter((doc) => rest.has(doc))).toEqual(
                some.filter((doc) => left.has(doc)),
              );
              expect(rest.count).toBe(left.size);
            }
            return rest.owned;
          });
          // Arrays that a later search gets from the pool are not part of the cached set.
          TYPED_ARRAY_POOL.during(() => TYPED_ARRAY_POOL.numbers(WORDS).fill(0xffffffff));
          expectSame(kept, left);
          expectSame(set, model);
        }),
      );
    } finally {
      TYPED_ARRAY_POOL.lengthMin = lengthMin;
    }
  });

  it('returns any page in ascending order', () => {
    fc.assert(
      fc.property(samples, fc.nat(END + 5), fc.nat(END + 5), ({ set, model }, offset, limit) => {
        expect([...set.page(offset, limit)]).toEqual(
          ascending(model).slice(offset, offset + limit),
        );
      }),
    );
  });

  it('forms unions, and is built from documents in any order', () => {
    fc.assert(
      fc.property(fc.array(samples, { maxLength: 4 }), (parts) => {
        const all = new Set(parts.flatMap(({ model }) => [...model]));
        expectSame(
          DocSet.unionOf(
            parts.map(({ set }) => set),
            WORDS,
          ),
          all,
        );
        const shuffled = parts.flatMap(({ model }) => [...model].reverse());
        expectSame(DocSet.fromUnordered(Uint32Array.from(shuffled), WORDS), all);
      }),
    );
    expect([...DocSet.fromUnordered(Uint32Array.from([9, 3, 9]), 1024).toList()]).toEqual([3, 9]);
  });

  it('converts to bits in scratch memory that it clears afterwards', () => {
    fc.assert(
      fc.property(samples, samples, ({ set, model }, other) => {
        const bits = bitsOf(other.model);
        set.addTo(bits);
        expect(bits).toEqual(bitsOf([...model, ...other.model]));
        expect(set.withBits(SCRATCH.part, (own) => [...own])).toEqual([...bitsOf(model)]);
        expect([...set.toBits()]).toEqual([...bitsOf(model)]);
        expect(SCRATCH.part.take(WORDS)).toEqual(new Uint32Array(WORDS));
      }),
    );
  });

  it('needs at most half of the memory when packed, for any number of documents', () => {
    const words = 10_000;
    const docs = Uint32Array.from({ length: 12_000 }, (_, i) => i * 26 + (i % 7));
    const set = DocSet.fromList(docs, words);
    const few = DocSet.fromList(docs.slice(0, 4000), words);
    expect(set.packed.bytes).toBeLessThan(set.bytes * 0.65);
    expect(few.packed.bytes).toBeLessThan(few.bytes * 0.55);
    expect(set.packed.toList()).toEqual(docs);
    expect(set.packed.toBits()).toEqual(set.toBits());
    expect(set.packed.retain(few.packed).toList()).toEqual(few.toList());
    const pair = DocSet.fromList(Uint32Array.of(docs[9]!, docs[9]! + 1, docs[11_000]!), words);
    for (const both of [set.packed.retain(pair), pair.retain(set.packed)])
      expect([...both.toList()]).toEqual([docs[9]!, docs[11_000]!]);
    expect(set.packed.without(few.packed).count).toBe(8000);
    expect([docs[9]!, docs[11_000]!, 5, 319_999].map((doc) => set.packed.has(doc))).toEqual(
      [docs[9]!, docs[11_000]!, 5, 319_999].map((doc) => set.has(doc)),
    );
  });

  it('is patched while packed, for any number of documents', () => {
    const words = 10_000;
    const end = words * 32;
    const docs = Uint32Array.from({ length: 12_000 }, (_, i) => i * 26 + (i % 7));
    const packed = DocSet.fromList(docs, words).packed;
    const few = fc.uniqueArray(
      fc.oneof(
        fc.nat(end - 1),
        fc.constantFrom(0, 65_535, 65_536, 131_072, docs[77]!, docs[5041]!),
      ),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(few, few, fc.boolean(), (touched, found, isLonger) => {
        const length = isLonger ? words + 4096 : words;
        const added = DocSet.fromList(Uint32Array.from(ascending(found)), length);
        const patched = packed.patched(Uint32Array.from(ascending(touched)), added, length);
        const left = [...docs].filter((doc) => !touched.includes(doc));
        expect([...patched.toList()]).toEqual(ascending(new Set([...left, ...found])));
        expect(patched.count).toBe(patched.toList().length);
      }),
      { numRuns: amount(10, 120) },
    );
  });

  it('is patched: touched documents removed, new ones added, with another length', () => {
    fc.assert(
      fc.property(samples, samples, samples, fc.boolean(), (old, touched, found, isLonger) => {
        const words = isLonger ? WORDS + 3 : WORDS;
        const added = DocSet.fromList(found.set.toList(), words);
        const patched = old.set.patched(touched.set.toList(), added, words);
        const wanted = [...old.model].filter((doc) => !touched.model.has(doc));
        expect([...patched.toList()]).toEqual(ascending(new Set([...wanted, ...found.model])));
        expect(patched.bitsetLength).toBe(words);
      }),
    );
  });
});
