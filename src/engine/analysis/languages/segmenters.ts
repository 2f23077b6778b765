/** Cuts a piece between separators into words, for scripts that do not separate all words. */
import { MemoMap } from '../../../core/memo-map.ts';

/**
 * Visits each word of the piece in order; the words cover the piece. Stops and returns false when
 * `visit` returns false.
 */
export type VisitWord = (start: number, end: number) => boolean;

export interface Segmenter {
  segment(piece: string, visit: VisitWord): boolean;
  /**
   * False when the piece whose UTF-8 is `utf8[start, end)` is certainly one word: no string of it
   * is needed.
   */
  mayCut(utf8: Uint8Array, start: number, end: number): boolean;
}

const ARTICLE_UNITS = 2;
const isAlef = (unit: number): boolean =>
  unit === 0x627 || unit === 0x623 || unit === 0x625 || unit === 0x622 || unit === 0x671;
const LAM = 0x644;

const startsWithArticle = (piece: string): boolean =>
  piece.length > ARTICLE_UNITS && isAlef(piece.charCodeAt(0)) && piece.charCodeAt(1) === LAM;

/** Separates the Arabic article (alef in any form + lam) from a longer word. */
export const articleSegmenter: Segmenter = {
  segment(piece, visit) {
    if (!startsWithArticle(piece)) return visit(0, piece.length);
    return visit(0, ARTICLE_UNITS) && visit(ARTICLE_UNITS, piece.length);
  },
  /** All letters concerned take two bytes. */
  mayCut: (utf8, start, end) => {
    if (end - start <= 4 || utf8[start + 2] !== 0xd9 || utf8[start + 3] !== 0x84) return false;
    return isAlef(((utf8[start]! & 31) << 6) | (utf8[start + 1]! & 63));
  },
};

/** Most UTF-16 units passed to ICU at once: its time grows with the square of the text's length. */
const WINDOW_UNITS = 256;

const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800;

function windowEnd(piece: string, start: number): number {
  const end = start + WINDOW_UNITS;
  if (end >= piece.length) return piece.length;
  return isHighSurrogate(piece.charCodeAt(end - 1)) ? end - 1 : end;
}

/**
 * Words by ICU's dictionaries. The last word of a window is left to the next window, which contains
 * its continuation.
 */
export function dictionarySegmenter(locale: string): Segmenter {
  const words = new Intl.Segmenter(locale, { granularity: 'word' });
  return {
    segment(piece, visit) {
      for (let start = 0; start < piece.length; ) {
        const end = windowEnd(piece, start);
        let next = end;
        for (const { index, segment } of words.segment(piece.slice(start, end))) {
          const wordEnd = start + index + segment.length;
          if (wordEnd === end && index > 0 && end < piece.length) next = start + index;
          else if (!visit(start + index, wordEnd)) return false;
        }
        start = next;
      }
      return true;
    },
    mayCut: () => true,
  };
}

const UNCUT = /^[\p{N}!-/:-@[-`{-~]+$/u;

/** A piece of numeric characters and ASCII punctuation alone is one word in every script. */
export const isUncut = (piece: string): boolean => UNCUT.test(piece);

/** Longer pieces rarely repeat. */
const REMEMBERED_UNITS_MAX = 32;
const REMEMBERED_PIECES_MAX = 8192;

/** Caches the cuts of short pieces: ICU's dictionaries are slow, and texts repeat their words. */
export function rememberingCuts(segmenter: Segmenter): Segmenter {
  const known = new MemoMap<string, readonly number[]>(REMEMBERED_PIECES_MAX);
  const cutsOf = (piece: string): readonly number[] => {
    const ends: number[] = [];
    segmenter.segment(piece, (_, end) => ends.push(end) > 0);
    return ends;
  };
  return {
    segment(piece, visit) {
      if (piece.length > REMEMBERED_UNITS_MAX) return segmenter.segment(piece, visit);
      let start = 0;
      for (const end of known.getOrCompute(piece, cutsOf)) {
        if (!visit(start, end)) return false;
        start = end;
      }
      return true;
    },
    mayCut: segmenter.mayCut,
  };
}
