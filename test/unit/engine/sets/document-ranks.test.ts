/** Documents by rank: consecutive DocIds behave like listed ones. */
import { describe, expect, it } from 'vitest';
import { toArray } from '../../../../src/engine/sets/bitset.ts';
import { DocumentRanks } from '../../../../src/engine/sets/document-ranks.ts';
import { fromArray } from '../../../support/bits.ts';

const consecutive = Uint32Array.from({ length: 90 }, (_, i) => 37 + i);
const scattered = Uint32Array.of(3, 64, 65, 200);
const piecewise = Uint32Array.from({ length: 300 }, (_, i) => 2 + i + 40 * Math.floor(i / 100));

const forms: [string, DocumentRanks, Uint32Array][] = [
  ['consecutive', new DocumentRanks(90, 37, null), consecutive],
  ['listed though consecutive', new DocumentRanks(90, 37, consecutive), consecutive],
  ['piece by piece consecutive', new DocumentRanks(300, 2, piecewise), piecewise],
  ['scattered', new DocumentRanks(4, 3, scattered), scattered],
  ['one', new DocumentRanks(1, 31, null), Uint32Array.of(31)],
  ['none', new DocumentRanks(0, 0, null), new Uint32Array(0)],
];

describe.each(forms)('%s DocIds', (_, ranks, docIds) => {
  it('have ranks', () => {
    expect(ranks.end).toBe((docIds.at(-1) ?? -1) + 1);
    expect([...docIds].map((docId) => ranks.rankOf(docId))).toEqual([...docIds.keys()]);
    expect([...docIds.keys()].map((rank) => ranks.docIdAt(rank))).toEqual([...docIds]);
    for (const absent of [0, 36, 127, 201, 5000]) {
      if (!docIds.includes(absent)) expect(ranks.rankOf(absent)).toBe(-1);
    }
  });

  it('span the places of a list from the first to the last', () => {
    const list = Uint32Array.of(0, 3, 31, 40, 70, 126, 200, 5000);
    const [from, end] = ranks.spanIn(list);
    const own = list.filter((doc) => doc >= (docIds[0] ?? 1) && doc < ranks.end);
    expect([...list.subarray(from, end)]).toEqual([...own]);
  });

  it('add themselves to what is there, the dead ones apart', () => {
    const alive = fromArray([1, 40], 512);
    ranks.addLive(null, alive);
    expect([...toArray(alive)]).toEqual([...new Set([1, 40, ...docIds])].sort((a, b) => a - b));
    const dead = [31, 64, 99];
    const few = fromArray([], 512);
    ranks.addLive(fromArray(dead, 128), few);
    expect([...toArray(few)]).toEqual([...docIds].filter((docId) => !dead.includes(docId)));
  });
});
