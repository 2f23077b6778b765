/** relevance.md 1.1 step 5.1 and 5.3: compatibility decomposition and control characters. */
import { describe, expect, it } from 'vitest';
import {
  decompose,
  decomposeCharacter,
} from '../../../../../src/engine/analysis/characters/decomposition.ts';

describe('decompose', () => {
  it('decomposes character by character', () => {
    expect(decompose('éﬁ①Ａ…℃')).toBe('e\u0301fi1A...°C');
    expect(decompose('한')).toBe('한'.normalize('NFD'));
    expect(decomposeCharacter('\u00a0')).toBe(' ');
  });

  it('removes control characters that are not white space', () => {
    expect(decompose('a\0\u0001\b\u000e\u001f\u007f\u0080\u009fb')).toBe('ab');
    expect(decompose('\t\n\u000b\f\r\u0085')).toBe('\t\n\u000b\f\r\u0085');
    expect(decompose('\ufeff\u200b')).toBe('\ufeff\u200b');
  });

  it('replaces half of a surrogate pair', () => {
    expect(decompose('a\ud800b\udc00')).toBe('a\ufffdb\ufffd');
    expect(decompose('😀')).toBe('😀');
  });

  it('goes on after more distinct characters than it remembers', () => {
    for (let codePoint = 0x4e00; codePoint < 0x4e00 + 25_000; codePoint++)
      decomposeCharacter(String.fromCodePoint(codePoint));
    expect(decompose('é')).toBe('e\u0301');
  });
});
