/** The part of a text that a crop shows (relevance.md 6.5). */
import type { DisplayTokens } from '../../../engine/analysis/tokens/display-tokens.ts';
import { TokenKind } from '../../../engine/analysis/tokens/token.ts';
import type { TextMatch } from './text-match.ts';

/** Distances between two matches are capped at this number. */
const GAP_MAX = 7;

/** Half-open range of bytes. */
export interface CropWindow {
  readonly start: number;
  readonly end: number;
}

/** Token numbers: the first inside the window and the first after it. */
interface TokenRange {
  readonly first: number;
  readonly end: number;
}

/** @param wordsMax at least 1 */
export function cropWindow(
  tokens: DisplayTokens,
  matches: readonly TextMatch[],
  wordsMax: number,
): CropWindow {
  const { first, end } = windowTokens(tokens, matches, wordsMax);
  return { start: tokens.start(first), end: tokens.start(end) };
}

function windowTokens(
  tokens: DisplayTokens,
  matches: readonly TextMatch[],
  wordsMax: number,
): TokenRange {
  if (matches.length === 0) return grow(tokens, { first: 0, end: 0 }, wordsMax);
  const best = bestInterval(matches, wordsMax);
  const first = matches[best.first]!;
  const last = matches[best.last]!;
  const wordCount = last.lastWord - first.firstWord + 1;
  if (wordCount > wordsMax)
    return { first: 0, end: endOfWords(tokens, first.firstToken, wordsMax) };
  const whole = {
    first: wordStart(tokens, first.firstToken),
    end: tokens.wordEnd(last.lastToken) + 1,
  };
  return grow(tokens, whole, wordsMax - wordCount);
}

/** The token after the first `count` words, starting at `at`. */
function endOfWords(tokens: DisplayTokens, at: number, count: number): number {
  let left = count;
  let end = at;
  while (left > 0) {
    left -= countOf(tokens, end);
    end = tokens.wordEnd(end) + 1;
  }
  return end;
}

/** Words that a token adds to a window. */
const countOf = (tokens: DisplayTokens, token: number): number =>
  tokens.isSeparator(token) ? 0 : 1;

/** The first token of the word that contains a token. */
function wordStart(tokens: DisplayTokens, token: number): number {
  let first = token;
  while (tokens.continuesWord(first)) first--;
  return first;
}

interface Interval {
  /** Numbers of matches, both inclusive. */
  readonly first: number;
  readonly last: number;
}

/**
 * The first interval of matches with the best score that fits in `wordsMax` words; the first match
 * when none fits.
 */
function bestInterval(matches: readonly TextMatch[], wordsMax: number): Interval {
  let best: Interval = { first: 0, last: 0 };
  let bestScore: Score | null = null;
  const interval = new ScoredInterval(matches);
  const consider = (): void => {
    const score = interval.score();
    if (bestScore !== null && compareScores(score, bestScore) <= 0) return;
    best = { first: interval.first, last: interval.last };
    bestScore = score;
  };
  for (let next = 1; next < matches.length; next++) {
    if (interval.wordsUpTo(next) > wordsMax) {
      if (interval.wordsUpTo(next - 1) <= wordsMax) consider();
      while (interval.first < next && interval.wordsUpTo(next) > wordsMax) interval.dropFirst();
    }
    interval.append();
  }
  const { first, last } = interval;
  if (first !== last || interval.wordsUpTo(last) < wordsMax) consider();
  return best;
}

/**
 * Distinct query positions; closeness; pairs in query order. Compared in this order, greater is
 * better.
 */
type Score = readonly [number, number, number];

function compareScores(a: Score, b: Score): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/**
 * Successive matches and their score, updated while the interval slides: each match is added and
 * removed once.
 */
class ScoredInterval {
  first = 0;
  last = 0;
  readonly #matches: readonly TextMatch[];
  /** Number of matches that cover a query position. */
  readonly #covers = new Map<number, number>();
  #closeness = 0;
  #ordered = 0;

  constructor(matches: readonly TextMatch[]) {
    this.#matches = matches;
    this.#count(0, 1);
  }

  score(): Score {
    return [this.#covers.size, this.#closeness, this.#ordered];
  }

  /** Words from the start of the interval to the end of a match. */
  wordsUpTo(match: number): number {
    return this.#matches[match]!.lastWord - this.#matches[this.first]!.firstWord + 1;
  }

  append(): void {
    this.last++;
    this.#count(this.last, 1);
    if (this.first < this.last) this.#countPair(this.last - 1, 1);
  }

  dropFirst(): void {
    this.#count(this.first, -1);
    if (this.first < this.last) this.#countPair(this.first, -1);
    this.first++;
  }

  #count(match: number, sign: 1 | -1): void {
    const { place, firstWord, lastWord } = this.#matches[match]!;
    for (let position = place.start; position <= place.end; position++) {
      const covers = (this.#covers.get(position) ?? 0) + sign;
      if (covers > 0) this.#covers.set(position, covers);
      else this.#covers.delete(position);
    }
    this.#closeness -= sign * (lastWord - firstWord);
    this.#ordered += sign * (lastWord - firstWord);
  }

  /** Counts the pair of the match and the next one. */
  #countPair(match: number, sign: 1 | -1): void {
    const left = this.#matches[match]!;
    const right = this.#matches[match + 1]!;
    this.#closeness -= sign * Math.min(right.firstWord - left.lastWord, GAP_MAX);
    if (right.place.start > left.place.start) this.#ordered += sign;
  }
}

/** Widens the range by `count` words, alternating between its two sides. */
function grow(tokens: DisplayTokens, range: TokenRange, count: number): TokenRange {
  let { first, end } = range;
  for (let left = count; left > 0 && (first > 0 || end < tokens.length); ) {
    const before = first > 0 ? tokens.kind(first - 1) : null;
    const after = end < tokens.length ? tokens.kind(end) : null;
    const takes = sidesToTake(before, after, left);
    if (takes.before) {
      first = wordStart(tokens, first - 1);
      left -= countOf(tokens, first);
    }
    if (takes.after) {
      left -= countOf(tokens, end);
      end = tokens.wordEnd(end) + 1;
    }
  }
  return { first, end };
}

interface Sides {
  readonly before: boolean;
  readonly after: boolean;
}

const isWord = (kind: TokenKind): boolean => kind < TokenKind.softSeparator;

/**
 * The sides of a window that may grow when `left` words may still be added; null = there is no
 * neighbour.
 */
function sidesToTake(before: TokenKind | null, after: TokenKind | null, left: number): Sides {
  if (before === null || after === null) return { before: before !== null, after: after !== null };
  const isWordBefore = isWord(before);
  if (isWordBefore || isWord(after)) {
    return { before: isWordBefore, after: isWord(after) && (!isWordBefore || left > 1) };
  }
  if (before === after) return { before: true, after: left > 1 };
  return { before: before === TokenKind.softSeparator, after: after === TokenKind.softSeparator };
}
