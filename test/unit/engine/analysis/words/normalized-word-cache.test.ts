/** The cache of normalised words: finds by bytes and tag, and forgets everything when full. */
import { describe, expect, it } from 'vitest';
import { hashBytes } from '../../../../../src/core/hash.ts';
import { NormalizedWordCache } from '../../../../../src/engine/analysis/words/normalized-word-cache.ts';

const utf8 = new TextEncoder();

function find(cache: NormalizedWordCache, word: string, tag: number): string | null {
  const raw = utf8.encode(word);
  const found = cache.find(raw, 0, raw.length, hashBytes(raw, 0, raw.length), tag);
  if (found < 0) return null;
  const [start, end] = [cache.lemmaStarts[found]!, cache.lemmaStarts[found + 1]!];
  return new TextDecoder().decode(cache.lemmas.slice(start, end));
}

function add(cache: NormalizedWordCache, word: string, tag: number, lemmaText: string): void {
  const raw = utf8.encode(word);
  const lemma = utf8.encode(lemmaText);
  const result = { outcome: 3, lemma, lemmaLength: lemma.length, hash: 7 };
  cache.add(raw, hashBytes(raw, 0, raw.length), tag, result);
}

describe('NormalizedWordCache', () => {
  it('keeps the lemma of a word for each tag', () => {
    const cache = new NormalizedWordCache();
    expect(find(cache, 'Été', 8)).toBeNull();
    add(cache, 'Été', 8, 'ete');
    expect(find(cache, 'Été', 8)).toBe('ete');
    expect(find(cache, 'Été', 9)).toBeNull();
    add(cache, 'Été', 9, 'été');
    expect([find(cache, 'Été', 8), find(cache, 'Été', 9), find(cache, 'Ét', 8)]).toEqual([
      'ete',
      'été',
      null,
    ]);
  });

  it('stays within its bounds: a full cache starts again', () => {
    const cache = new NormalizedWordCache();
    let forgotten = 0;
    for (let i = 0; i < 50_000; i++) {
      if (find(cache, `é${i}`, 8) === null) add(cache, `é${i}`, 8, `e${i}`);
      if (i > 0 && find(cache, `é${i - 1}`, 8) !== `e${i - 1}`) forgotten++;
    }
    expect(forgotten).toBeLessThan(10);
    expect(find(cache, 'é0', 8)).toBeNull();
    expect(find(cache, 'é49999', 8)).toBe('e49999');
  });
});
