/** Joined words: which pairs are listed, and damage that checksums do not show. */
import { describe, expect, it } from 'vitest';
import { CorruptionError } from '../../../../src/core/errors.ts';
import { encodeUtf8 } from '../../../../src/engine/bytes/utf8.ts';
import { PostingListWriter } from '../../../../src/engine/postings/posting-list-writer.ts';
import { JoinedWords, pairOf } from '../../../../src/engine/segment/joined-words.ts';
import type { SegmentReader } from '../../../../src/engine/segment/segment-reader.ts';
import { build } from './check-segment.ts';
import { textDocuments } from './segment-model.ts';

function pair(reader: SegmentReader, left: string, right: string): number {
  const { terms } = reader;
  return reader.joined!.pair(terms.find(encodeUtf8(left)), terms.find(encodeUtf8(right)));
}

describe('joined words', () => {
  it('list documents with both words at consecutive positions of one field', () => {
    const reader = build(
      textDocuments(
        'sun flower',
        'flower sun',
        'sun  flower',
        'sun|flower',
        'a sunflower',
        'b|sun flower',
      ),
    );
    const { joined } = reader;
    expect([...joined!.documents(pair(reader, 'sun', 'flower'))]).toEqual([0, 5]);
    expect([...joined!.documents(pair(reader, 'flower', 'sun'))]).toEqual([]);
  });

  it('list no words that spell no term', () => {
    const reader = build(textDocuments('sun flower', 'moon flower sunflower'));
    expect(reader.joined!.count(pair(reader, 'sun', 'flower'))).toBe(1);
    expect(reader.joined!.count(pair(reader, 'moon', 'flower'))).toBe(0);
  });

  it('know the 16,384 most frequent terms only', () => {
    const many = Array.from({ length: 0x4000 }, (_, i) => `x${i}`).join(' ');
    const reader = build(textDocuments(many, `${many}|sun flower sunflower x1x2`));
    expect(pair(reader, 'sun', 'flower')).toBe(-1);
    expect([...reader.joined!.documents(pair(reader, 'x1', 'x2'))]).toEqual([0, 1]);
    reader.verify();
  });

  it('fail verification when words or pairs do not ascend, or a pair spells no term', () => {
    const { terms } = build(textDocuments('moon sun flower sunflower sunmoon'));
    const [flower, moon, sun] = ['flower', 'moon', 'sun'].map((term) =>
      terms.find(encodeUtf8(term)),
    );
    const verify = (words: readonly number[], pairs: readonly number[], docId = 0): void => {
      const writer = new PostingListWriter(1, []);
      const offsets = pairs.map(() => {
        const { length } = writer;
        writer.writeDocuments(Uint32Array.of(docId), 0, 1);
        return length;
      });
      const sections = {
        joinedWords: Uint32Array.from(words),
        joinedIndex: Uint32Array.from([...pairs, ...offsets, writer.length]),
        joinedDocuments: writer.finish().postings,
      };
      new JoinedWords('s', sections, 1).verifyPairs(terms, 1);
    };
    const words = [flower!, moon!, sun!];
    const pairs = [pairOf(2, 0), pairOf(2, 1)];
    verify(words, pairs);
    const damaged: Parameters<typeof verify>[] = [
      [words.toReversed(), []],
      [[...words, terms.termCount], pairs],
      [words, pairs.toReversed()],
      [words, [pairOf(0, 1)]],
      [words, [pairOf(3, 1)]],
      [words, pairs, 1],
    ];
    for (const each of damaged) expect(() => verify(...each)).toThrow(CorruptionError);
  });

  it('need pairs and offsets of the same number', () => {
    const sections = {
      joinedWords: new Uint32Array(0),
      joinedIndex: new Uint32Array(2),
      joinedDocuments: new Uint8Array(16),
    };
    expect(() => new JoinedWords('s', sections, 1)).toThrow(CorruptionError);
  });
});
