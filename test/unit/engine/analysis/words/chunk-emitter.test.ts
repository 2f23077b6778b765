/** Chunks of values: their terms, and the places of their first words (relevance.md 2.9). */
import { describe, expect, it } from 'vitest';
import { createAnalyzer } from '../../../../../src/engine/analysis/analyzer.ts';
import { encodeUtf8 } from '../../../../../src/engine/bytes/utf8.ts';
import { CHUNK_LEAD } from '../../../../../src/engine/dictionary/chunk-terms.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../../../../src/model/settings.ts';

type Chunk = readonly [text: string, position: number];

interface Found {
  readonly chunks: readonly Chunk[];
  readonly words: readonly Chunk[];
}

function indexed(text: string, settings: Partial<Settings> = {}): Found {
  const analyzer = createAnalyzer({ ...DEFAULT_SETTINGS, ...settings });
  const utf8 = encodeUtf8(`<${text}>`);
  const read = (start: number, into: Chunk[]) => ({
    word: (bytes: Uint8Array, length: number, _hash: number, position: number) => {
      into.push([new TextDecoder().decode(bytes.slice(start, length)), position]);
      if (start > 0) expect(bytes[0]).toBe(CHUNK_LEAD);
    },
  });
  const [chunks, words]: [Chunk[], Chunk[]] = [[], []];
  analyzer.indexChunks(utf8, 1, utf8.length - 1, 10, null, read(1, chunks));
  analyzer.indexWords(utf8, 1, utf8.length - 1, 10, null, read(0, words));
  return { chunks, words };
}

describe('chunks of a value', () => {
  it('stand between white space, in lower case, separators included', () => {
    expect(indexed('AB-1234').chunks).toEqual([['ab-1234', 10]]);
    expect(indexed('  see\tFoo_Bar\n(4-GE-2)! ').chunks).toEqual([
      ['see', 10],
      ['foo_bar', 11],
      ['(4-ge-2)!', 13],
    ]);
    expect(indexed(' \t').chunks).toEqual([]);
  });

  it('stand where their first words stand', () => {
    const text = 'the red. AB-12, and -- "green" 東京都 x';
    const { chunks, words } = indexed(text, { stopWords: ['the'] });
    const place = new Map(words);
    expect(chunks).toEqual([
      ['the', 10],
      ['red.', 11],
      ['ab-12,', place.get('ab')],
      ['and', place.get('and')],
      ['"green"', place.get('green')],
      ['东京都', expect.any(Number)],
      ['x', place.get('x')],
    ]);
    expect(place.get('ab')).toBe(19);
  });

  it('have no marks of letters', () => {
    expect(indexed('ÉTÉ_Oﬃce').chunks).toEqual([['ete_office', 10]]);
  });

  it('end at 240 bytes, between characters', () => {
    expect(indexed('a'.repeat(300)).chunks).toEqual([['a'.repeat(240), 10]]);
    expect(indexed(`a${'日'.repeat(300)}`).chunks).toEqual([[`a${'日'.repeat(79)}`, 10]]);
  });
});
