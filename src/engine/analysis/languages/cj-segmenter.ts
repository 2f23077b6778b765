/**
 * Cuts Chinese and Japanese text. Each run of one kind of character is cut on its own, so the text
 * around a run does not change its words: a query often begins or ends in the middle of the
 * document's text.
 */
import { hiraganaSegmenter, katakanaSegmenter } from './kana-segmenter.ts';
import type { Segmenter } from './segmenters.ts';

const Kind = { ideograph: 0, katakana: 1, other: 2 } as const;
type Kind = (typeof Kind)[keyof typeof Kind];

const ITERATION_MARK = 0x3005;
const ZERO = 0x3007;
/** Prolonged sound mark: lengthens the kana before it, hiragana or katakana. */
const LONG_VOWEL_MARK = 0x30fc;

export function isIdeograph(codePoint: number): boolean {
  if (codePoint < 0x3400) return codePoint === ITERATION_MARK || codePoint === ZERO;
  if (codePoint <= 0x9fff) return codePoint <= 0x4dbf || codePoint >= 0x4e00;
  return (
    (codePoint >= 0xf900 && codePoint <= 0xfaff) || (codePoint >= 0x20000 && codePoint <= 0x3ffff)
  );
}

const isKatakana = (codePoint: number): boolean =>
  (codePoint >= 0x30a1 && codePoint <= 0x30fe) || (codePoint >= 0x31f0 && codePoint <= 0x31ff);

function kindOf(codePoint: number, previous: Kind): Kind {
  if (codePoint === LONG_VOWEL_MARK && previous !== Kind.ideograph) return previous;
  if (isIdeograph(codePoint)) return Kind.ideograph;
  return isKatakana(codePoint) ? Kind.katakana : Kind.other;
}

export interface CjSegmenterOptions {
  /** Cuts the runs that hold ideographs. */
  readonly dictionary: Segmenter;
  /**
   * Every ideograph is a word of its own. A dictionary can cut the same characters differently in a
   * sentence and in a query, which then finds nothing; single characters always match. Otherwise
   * ideographs run on into hiragana, as Japanese verbs do.
   */
  readonly cutsIdeographs: boolean;
}

const unitsOf = (codePoint: number): number => (codePoint > 0xffff ? 2 : 1);

export function cjSegmenter({ dictionary, cutsIdeographs }: CjSegmenterOptions): Segmenter {
  const isBoundary = (left: Kind, right: Kind): boolean => {
    if (cutsIdeographs && left === Kind.ideograph) return true;
    if (left === right) return false;
    return cutsIdeographs || left === Kind.katakana || right === Kind.katakana;
  };
  /** `kind` is the kind of its last character. */
  const segmenterOf = (kind: Kind, hasIdeographs: boolean): Segmenter | null => {
    if (hasIdeographs) return cutsIdeographs ? null : dictionary;
    return kind === Kind.katakana ? katakanaSegmenter : hiraganaSegmenter;
  };
  return {
    segment(piece, visit) {
      const cutRun = (start: number, end: number, segmenter: Segmenter | null): boolean =>
        segmenter === null
          ? visit(start, end)
          : segmenter.segment(piece.slice(start, end), (from, to) =>
              visit(start + from, start + to),
            );
      let runStart = 0;
      let kind: Kind = Kind.other;
      let hasIdeographs = false;
      for (let i = 0; i < piece.length; ) {
        const codePoint = piece.codePointAt(i)!;
        const next = kindOf(codePoint, i === 0 ? Kind.other : kind);
        if (i > 0 && isBoundary(kind, next)) {
          if (!cutRun(runStart, i, segmenterOf(kind, hasIdeographs))) return false;
          runStart = i;
          hasIdeographs = false;
        }
        kind = next;
        hasIdeographs ||= kind === Kind.ideograph;
        i += unitsOf(codePoint);
      }
      return cutRun(runStart, piece.length, segmenterOf(kind, hasIdeographs));
    },
    mayCut: () => true,
  };
}
