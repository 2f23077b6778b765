/** Results as words, for the memory that query threads share. */
import { DocSet } from '../sets/doc-set.ts';
import type { CachedValue, CostSet, ScannedCosts } from './cached-values.ts';

/** Two directions: a value to words, and back. */
export interface ValueWords<Value extends CachedValue> {
  /** In some parts. */
  readonly write: (value: Value) => readonly Uint32Array[];
  /** @param words the parts as one; the value takes them over */
  readonly read: (words: Uint32Array) => Value;
}

export const docSetWords: ValueWords<DocSet> = {
  write: (docs) => [Uint32Array.of(docs.bitsetLength), ...docs.words],
  read: (words) => DocSet.fromWords(words.subarray(1), words[0]!),
};

/** Each set behind its cost, the length of its bitsets and the number of its words. */
export const costSetWords: ValueWords<readonly CostSet[]> = {
  write: (sets) =>
    sets.flatMap(({ cost, docs }) => {
      const { words } = docs;
      const length = words.reduce((sum, part) => sum + part.length, 0);
      return [Uint32Array.of(cost, docs.bitsetLength, length), ...words];
    }),
  read: (words) => {
    const sets: CostSet[] = [];
    for (let at = 0; at < words.length; ) {
      const [cost, bitsetLength, length] = words.subarray(at, at + 3) as unknown as readonly [
        number,
        number,
        number,
      ];
      const end = at + 3 + length;
      sets.push({ cost, docs: DocSet.fromWords(words.subarray(at + 3, end), bitsetLength) });
      at = end;
    }
    return sets;
  },
};

/** Ranks behind both counts, then the costs, each in as many bytes as the largest needs. */
export const scannedCostsWords: ValueWords<ScannedCosts> = {
  write: ({ ranks, costs }) => {
    const width = bytesFor(costs);
    const words = new Uint32Array(Math.ceil((costs.length * width) / 4));
    new COSTS_OF_WIDTH[width](words.buffer).set(costs);
    return [Uint32Array.of(costs.length, width), ranks, words];
  },
  read: (words) => {
    const [length, width] = words as unknown as readonly [number, 1 | 2 | 4];
    const start = words.byteOffset + 4 * (2 + length);
    return {
      ranks: words.subarray(2, 2 + length),
      costs: new Int32Array(new COSTS_OF_WIDTH[width](words.buffer as ArrayBuffer, start, length)),
    };
  },
};

const COSTS_OF_WIDTH = { 1: Uint8Array, 2: Uint16Array, 4: Int32Array } as const;

function bytesFor(costs: Int32Array): 1 | 2 | 4 {
  let all = 0;
  for (let i = 0; i < costs.length; i++) all |= costs[i]!;
  if (all >>> 8 === 0) return 1;
  return all >>> 16 === 0 ? 2 : 4;
}
