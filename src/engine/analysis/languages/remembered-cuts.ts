/**
 * A segmenter with a cache of the cuts of short pieces: ICU's dictionaries are slow, and texts
 * repeat their words.
 */
import { MemoMap } from '../../../core/memo-map.ts';
import type { Segmenter, VisitWord } from './segmenters.ts';

/** Longer pieces rarely repeat. */
const PIECE_UNITS_MAX = 32;
const PIECES_MAX = 8192;

export function rememberingCuts(segmenter: Segmenter): Segmenter {
  const known = new MemoMap<string, readonly number[]>(PIECES_MAX);

  function cutsOf(piece: string): readonly number[] {
    const ends: number[] = [];
    segmenter.segment(piece, (_, end) => ends.push(end) > 0);
    return ends;
  }

  return {
    segment(piece, visit) {
      if (piece.length > PIECE_UNITS_MAX) return segmenter.segment(piece, visit);
      return visitCuts(known.getOrCompute(piece, cutsOf), visit);
    },
    mayCut: segmenter.mayCut,
  };
}

function visitCuts(ends: readonly number[], visit: VisitWord): boolean {
  let start = 0;
  for (const end of ends) {
    if (!visit(start, end)) return false;
    start = end;
  }
  return true;
}
