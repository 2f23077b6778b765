/** Chunks of a dictionary by the texts that they contain, and damage that checksums do not show. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CorruptionError } from '../../../../src/core/errors.ts';
import { encodeUtf8 } from '../../../../src/engine/bytes/utf8.ts';
import { ChunkGrams } from '../../../../src/engine/dictionary/chunk-grams.ts';
import { CHUNK_LEAD } from '../../../../src/engine/dictionary/chunk-terms.ts';
import { TermDictionaryWriter } from '../../../../src/engine/dictionary/term-dictionary-writer.ts';
import type { SegmentReader } from '../../../../src/engine/segment/segment-reader.ts';
import { amount } from '../../../support/run-length.ts';
import { build } from '../segment/check-segment.ts';
import type { ModelDocument } from '../segment/segment-model.ts';

const documents = (chunks: readonly (readonly string[])[]): ModelDocument[] =>
  chunks.map((own, docId) => ({
    docId,
    id: String(docId),
    json: '{}',
    names: [],
    words: [{ term: 'word', field: 'code', position: 0 }],
    chunks: own,
  }));

function found({ terms }: SegmentReader, part: string): string[] {
  const texts: string[] = [];
  terms.visitChunks(
    encodeUtf8(part),
    (ordinal) => {
      const bytes = terms.bytes(ordinal);
      expect(bytes[0]).toBe(CHUNK_LEAD);
      texts.push(new TextDecoder().decode(bytes.subarray(1)));
      return true;
    },
    () => undefined,
  );
  return texts;
}

const inByteOrder = (texts: Iterable<string>): string[] =>
  [...texts].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

const chunk = fc.string({ unit: fc.constantFrom('a', 'b', '-', 'é', '日'), maxLength: 9 });

describe('chunks', () => {
  it('are those that contain the text, in byte order', () => {
    const lists = fc.array(fc.array(chunk, { maxLength: 4 }), { minLength: 1, maxLength: 200 });
    const part = fc.string({
      unit: fc.constantFrom('a', 'b', '-', 'é', '日'),
      minLength: 3,
      maxLength: 5,
    });
    fc.assert(
      fc.property(lists, part, (chunks, text) => {
        const reader = build(documents(chunks));
        const all = new Set(chunks.flat());
        const expected = inByteOrder([...all].filter((other) => other.includes(text)));
        expect(found(reader, text)).toEqual(expected);
        reader.verify();
      }),
      { numRuns: amount(20, 1500) },
    );
  });

  it('are read until the visitor or the check stops', () => {
    const { terms } = build(documents(Array.from({ length: 5000 }, (_, i) => [`abc${i}`])));
    const part = encodeUtf8('abc');
    let visits = 0;
    terms.visitChunks(
      part,
      () => ++visits < 3,
      () => undefined,
    );
    expect(visits).toBe(3);
    let checks = 0;
    const read = (): void =>
      terms.visitChunks(
        part,
        () => true,
        () => {
          if (++checks === 2) throw new Error('stopped');
        },
      );
    expect(read).toThrow('stopped');
  });

  it('are no words: no prefix, similar word or length meets them', () => {
    const reader = build(documents([['words', 'worn']]));
    const similar: string[] = [];
    for (const prefix of [true, false])
      reader.terms.visitSimilar(
        'wored',
        { maxDistance: 2, maxDistanceOtherFirst: 1, prefix },
        (ordinal) => similar.push(reader.terms.text(ordinal)) > 0,
      );
    expect(new Set(similar)).toEqual(new Set(['word']));
    expect(reader.terms.prefixRange(encodeUtf8('wo'))).toEqual({ lo: 0, hi: 1 });
    const lengths: number[] = [];
    reader.wordCounts.forEachLength((_field, length) => lengths.push(length));
    expect(lengths).toEqual([1]);
  });

  it('leave the sections of dictionaries without them as they were', () => {
    const writer = new TermDictionaryWriter();
    for (const word of ['sun', 'sunday']) writer.add(encodeUtf8(word), 0, word.length);
    expect(writer.finish().chunks).toBeNull();
  });

  it('fail verification when trigrams do not ascend or lists are damaged', () => {
    const writer = new TermDictionaryWriter();
    for (const text of ['abcd', 'bcde']) {
      const bytes = Uint8Array.of(CHUNK_LEAD, ...encodeUtf8(text));
      writer.add(bytes, 0, bytes.length);
    }
    const sections = writer.finish().chunks;
    if (sections === null) throw new Error('there are chunks');
    const opened = (chunkGrams: Uint32Array, chunkCount = 2) =>
      new ChunkGrams('file', { ...sections, chunkGrams }, chunkCount);
    expect(() => opened(sections.chunkGrams).verify()).not.toThrow();
    expect(() => opened(sections.chunkGrams.slice(1)).verify()).toThrow(CorruptionError);
    const swapped = sections.chunkGrams.slice();
    swapped.set(sections.chunkGrams.subarray(0, 2).toReversed());
    expect(() => opened(swapped).verify()).toThrow(CorruptionError);
    expect(() => opened(sections.chunkGrams, 1).verify()).toThrow(CorruptionError);
  });
});
