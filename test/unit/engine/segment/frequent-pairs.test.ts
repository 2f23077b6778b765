/** Frequent pairs: which have lists, distances, and damage that checksums do not show. */
import { describe, expect, it } from 'vitest';
import { CorruptionError } from '../../../../src/core/errors.ts';
import { encodeUtf8 } from '../../../../src/engine/bytes/utf8.ts';
import { PostingListWriter } from '../../../../src/engine/postings/posting-list-writer.ts';
import { DocumentGroups } from '../../../../src/engine/segment/document-groups.ts';
import { FrequentPairs, listOf } from '../../../../src/engine/segment/frequent-pairs.ts';
import type { SegmentReader } from '../../../../src/engine/segment/segment-reader.ts';
import { DIGEST_ALL } from '../../../support/segment-file.ts';
import { build } from './check-segment.ts';
import { textDocuments } from './segment-model.ts';

function pair(reader: SegmentReader, left: string, right: string): number {
  const { terms } = reader;
  return reader.frequentPairs!.pair(terms.find(encodeUtf8(left)), terms.find(encodeUtf8(right)));
}

describe('frequent pairs', () => {
  it('list documents by the least distance of two words in one field', () => {
    const reader = build(
      textDocuments(
        'a b',
        'a x b',
        'a x x b',
        'a x x x b',
        'b a',
        'a|b',
        'x a x x b|a x b',
        'a a b',
      ),
    );
    const found = (left: string, right: string): number[][] =>
      [1, 2, 3].map((distance) => [
        ...reader.frequentPairs!.documents(listOf(pair(reader, left, right), distance)),
      ]);
    expect(found('a', 'b')).toEqual([[0, 7], [1, 6], [2]]);
    expect(found('b', 'a')).toEqual([[4], [], []]);
    expect(found('a', 'a')).toEqual([[7], [], []]);
    reader.verify();
  });

  it('are of words that many documents have in common', () => {
    const texts = Array.from({ length: 64 }, (_, i) => {
      const half = i % 2 === 0 ? 'half' : 'other';
      return `all ${half} ${i % 8 === 0 ? 'eighth' : 'rest'} ${i < 4 ? 'few' : 'many'}`;
    });
    const limits = { ...DIGEST_ALL, pairShare: 8 };
    const reader = build(textDocuments(...texts), limits);
    expect(pair(reader, 'all', 'eighth')).toBeGreaterThanOrEqual(0);
    expect(pair(reader, 'eighth', 'all')).toBeGreaterThanOrEqual(0);
    expect(pair(reader, 'half', 'many')).toBeGreaterThanOrEqual(0);
    expect(pair(reader, 'half', 'eighth')).toBe(-1);
    expect(pair(reader, 'all', 'few')).toBe(-1);
    const { frequentPairs, terms } = reader;
    const names = (ordinals: Uint32Array): string[] => [...ordinals].map((o) => terms.text(o));
    expect(names(frequentPairs!.partnersOf(terms.find(encodeUtf8('eighth'))))).toEqual(['all']);
    expect(names(frequentPairs!.partnersOf(terms.find(encodeUtf8('few'))))).toEqual([]);
    // Each document has four words: 64 of them have 256.
    const ofSegment = (pairSegmentWordsMin: number): number =>
      pair(build(textDocuments(...texts), { ...limits, pairSegmentWordsMin }), 'all', 'half');
    expect(ofSegment(256)).toBeGreaterThanOrEqual(0);
    expect(ofSegment(257)).toBe(-1);
    const ofWords = (pairWordsMin: number): number =>
      pair(build(textDocuments(...texts), { ...limits, pairWordsMin }), 'all', 'half');
    expect(ofWords(128)).toBeGreaterThanOrEqual(0);
    expect(ofWords(129)).toBe(-1);
  });

  it('fail verification when words, partners or lists are damaged', () => {
    const verify = (words: readonly number[], lists: readonly number[], docId = 0): void => {
      const writer = new PostingListWriter(1, []);
      const offsets = lists.map(() => {
        const { length } = writer;
        writer.writeDocuments(Uint32Array.of(docId), 0, 1);
        return length;
      });
      const sections = {
        pairWords: Uint32Array.from(words),
        pairIndex: Uint32Array.from([...lists, ...offsets, writer.length]),
        pairDocuments: writer.finish().postings,
      };
      new FrequentPairs('s', sections, 1).verifyPairs(3, 1);
    };
    // Words 2 and 0; the first has lists with both, the second with the first.
    const words = [2, 0, 2, 1];
    verify(words, [0, 4, 8]);
    const damaged: Parameters<typeof verify>[] = [
      [[2, 2, 2, 1], []],
      [[2, 3, 2, 1], []],
      [[2, 0, 1, 2], []],
      [[2, 0, 3, 1], []],
      [words, [4, 0]],
      [words, [9]],
      [words, [0], 1],
    ];
    for (const each of damaged) expect(() => verify(...each)).toThrow(CorruptionError);
  });

  it('need as many offsets as lists and as many partners as words', () => {
    const sections = {
      pairWords: new Uint32Array(2),
      pairIndex: new Uint32Array(1),
      pairDocuments: new Uint8Array(16),
    };
    const open = (changed: Partial<typeof sections>) => () =>
      new FrequentPairs('s', { ...sections, ...changed }, 1);
    expect(open({})).not.toThrow();
    expect(open({ pairWords: new Uint32Array(3) })).toThrow(CorruptionError);
    expect(open({ pairIndex: new Uint32Array(2) })).toThrow(CorruptionError);
  });
});

describe('document groups', () => {
  it('visit the documents of each list over many runs', () => {
    const groups = new DocumentGroups(50_000);
    const expected = new Map<number, number[]>();
    const watched = new Set([0, 77, 49_999]);
    for (let rank = 0; rank < 1200; rank++) {
      for (let i = 0; i < 4000; i++) {
        const list = (rank * 7 + i * 11) % 50_000;
        groups.add(list);
        if (watched.has(list)) expected.set(list, [...(expected.get(list) ?? []), rank]);
      }
      groups.endDocument();
    }
    let total = 0;
    let before = -1;
    groups.forEachList((list, ranks, count) => {
      expect(list).toBeGreaterThan(before);
      before = list;
      total += count;
      if (expected.has(list)) expect([...ranks.subarray(0, count)]).toEqual(expected.get(list));
    });
    expect(total).toBe(1200 * 4000);
    expect(expected.size).toBe(3);
  });

  it('visit nothing without documents', () => {
    const groups = new DocumentGroups(3);
    groups.endDocument();
    groups.forEachList(() => expect.unreachable());
  });
});
