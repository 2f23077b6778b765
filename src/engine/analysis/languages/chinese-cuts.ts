/**
 * Cuts Chinese text into words by word frequency: takes the most likely segmentation of a run of
 * characters, then cuts its longer words again into known pairs or triples.
 */
import { encodeUtf8 } from '../../bytes/utf8.ts';
import { utf8Length } from '../characters/word-codec.ts';
import type { Segmenter, VisitWord } from './segmenters.ts';
import type { WordFrequencies } from './word-frequencies.ts';

/** Longer runs are cut piece by piece, which bounds the memory of a cut. */
const RUN_CHARACTERS_MAX = 256;
/** Words of at least this length, in characters, are cut again. */
const LONG_MIN = 3;

/** A run as bytes, and the offsets of its character boundaries in the bytes and in the string. */
interface Run {
  readonly utf8: Uint8Array;
  readonly bytes: Uint32Array;
  readonly units: Uint32Array;
}

/** @param wordsOf called once, at the first piece */
export function chineseWordSegmenter(wordsOf: () => WordFrequencies): Segmenter {
  let known: WordFrequencies | null = null;
  return {
    segment(piece, visit) {
      known ??= wordsOf();
      const run = runOf(piece);
      const last = run.units.length - 1;
      for (let start = 0; start < last; start += RUN_CHARACTERS_MAX) {
        if (!cutRun(known, run, start, Math.min(last, start + RUN_CHARACTERS_MAX), visit))
          return false;
      }
      return true;
    },
    mayCut: () => true,
  };
}

function runOf(piece: string): Run {
  const characters = Array.from(piece);
  const bytes = new Uint32Array(characters.length + 1);
  const units = new Uint32Array(characters.length + 1);
  characters.forEach((character, i) => {
    bytes[i + 1] = bytes[i]! + utf8Length(character, 0, character.length);
    units[i + 1] = units[i]! + character.length;
  });
  return { utf8: encodeUtf8(piece), bytes, units };
}

/** Characters from `start` to before `end`. */
function cutRun(
  words: WordFrequencies,
  { utf8, bytes, units }: Run,
  start: number,
  end: number,
  visit: VisitWord,
): boolean {
  const ends = bytes.subarray(start, end + 1);
  const isKnown = (from: number, to: number): boolean =>
    to < ends.length && words.of(utf8, ends[from]!, ends[to]!) > 0;
  const nextOf = likeliestWay(words, utf8, ends);
  for (let from = 0; from < ends.length - 1; ) {
    const to = nextOf[from]!;
    for (let at = from; at < to; ) {
      const next = to - from < LONG_MIN ? to : at + shortLength(at, to, isKnown);
      if (!visit(units[start + at]!, units[start + next]!)) return false;
      at = next;
    }
    from = to;
  }
  return true;
}

/** For each character that begins a word of the most likely segmentation: where that word ends. */
function likeliestWay(words: WordFrequencies, utf8: Uint8Array, ends: Uint32Array): Uint32Array {
  const count = ends.length - 1;
  const nextOf = new Uint32Array(count);
  const likelihoods = new Float64Array(count + 1);
  const all = Math.log(words.total);
  for (let from = count - 1; from >= 0; from--) {
    /** A character that is not a word counts like the rarest word. */
    let best = likelihoods[from + 1]! - all;
    let next = from + 1;
    words.forEachAt(utf8, ends, from, (to, frequency) => {
      const likelihood = Math.log(frequency) - all + likelihoods[to]!;
      if (likelihood < best) return;
      best = likelihood;
      next = to;
    });
    likelihoods[from] = best;
    nextOf[from] = next;
  }
  return nextOf;
}

/**
 * Length of the first part of a long word: a known pair, else a known triple, else one character.
 */
function shortLength(
  at: number,
  end: number,
  isKnown: (from: number, to: number) => boolean,
): number {
  for (const length of [2, 3]) if (at + length <= end && isKnown(at, at + length)) return length;
  return 1;
}
