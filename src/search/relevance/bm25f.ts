/**
 * Formulas and constants of statistical relevance: BM25F with a bonus for words that are close to
 * each other (relevance.md 3.15). The formulas hold for every index; statistics of an index are
 * arguments.
 */

/** Term frequency saturation. */
export const K1 = 1.5;
/** Length normalisation: 0 = none, 1 = in proportion to the length. */
export const B = 0.75;
/** Saturation of a word repeated in the query. */
export const K3 = 7;

/** Score of a word that stands for a query word, as a share of the score of the query word. */
export const SHARE = {
  /** An inflection with the same stem. */
  relative: 0.9,
  /** A word that starts with the query word. */
  completion: 0.8,
  synonym: 1,
  oneTypo: 0.3,
  twoTypos: 0.15,
  /** Adjacent query words joined to one word. */
  joined: 0.8,
} as const;

/** Two adjacent query words add at most this share of the lower of their scores … */
export const NEAR_SHARE = 0.5;
/** … if they are adjacent in the document, and less up to this distance. */
export const NEAR_MAX = 4;

/** Weight of the first attribute; the last one has 1; weights between are evenly spaced. */
const FIRST_WEIGHT = 3;

/** @param place index of the attribute among `count` */
export const attributeWeight = (place: number, count: number): number =>
  count <= 1 ? 1 : 1 + ((FIRST_WEIGHT - 1) * (count - 1 - place)) / (count - 1);

/** Inverse document frequency of a property that `having` of `documents` have. */
export const information = (having: number, documents: number): number =>
  Math.log(1 + (documents - having + 0.5) / (having + 0.5));

/** Weight of one occurrence in a field of `length` words. */
export const occurrenceWeight = (weight: number, length: number, average: number): number =>
  weight / (1 - B + (B * length) / average);

/**
 * Saturated weight of a word's occurrences, below `K1 + 1`; multiplied by the word's inverse
 * document frequency.
 */
export const saturated = (occurrences: number): number =>
  ((K1 + 1) * occurrences) / (K1 + occurrences);

/** Upper bound of `saturated`. */
export const SATURATED_MAX = K1 + 1;

export const repetition = (times: number): number => ((K3 + 1) * times) / (K3 + times);

/** Share of `NEAR_SHARE` for two words at this distance; reversed order counts as one further. */
export const nearness = (distance: number): number =>
  distance > NEAR_MAX ? 0 : (NEAR_MAX + 1 - distance) / NEAR_MAX;

/** Number of relevance steps; later rules order the documents of one step. */
export const STEPS = 5_000;

/** Step of a score, 1 … STEPS, given the maximum score of any document. */
export function stepOf(sum: number, most: number): number {
  if (!(most > 0)) return 1;
  const missing = 1 - Math.min(sum / most, 1);
  return Math.max(1, Math.ceil(STEPS * (1 - missing * missing * missing)));
}

/** Lower bound of the scores of a step. */
export const leastOfStep = (step: number, most: number): number =>
  most * (1 - Math.cbrt(1 - (step - 1) / STEPS));
