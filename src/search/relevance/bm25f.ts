/**
 * The numbers of statistical relevance and how they go together: BM25F with a share for words that
 * stand near each other (relevance.md 3.15). What is here is true of any index; what is counted in
 * one comes in as arguments.
 */

/** How soon more occurrences of a word stop to count. */
export const K1 = 1.5;
/** How much longer fields count less: 0 not at all, 1 in proportion. */
export const B = 0.75;
/** How soon a word that the query repeats stops to count more. */
export const K3 = 7;

/** What a word counts that stands for a query word, as a share of what the query word itself would. */
export const SHARE = {
  /** An inflection of the same stem. */
  relative: 0.9,
  /** A word that begins with what was typed. */
  completion: 0.8,
  synonym: 1,
  oneTypo: 0.3,
  twoTypos: 0.15,
  /** Neighbours of the query as one word. */
  joined: 0.8,
} as const;

/** Two neighbours of the query add at most this share of what the less telling of them says … */
export const NEAR_SHARE = 0.5;
/** … when they follow each other, and less up to this distance. */
export const NEAR_MAX = 4;

/** Weight of the first attribute; the last one has 1, those between are spread evenly. */
const FIRST_WEIGHT = 3;

/** @param place of the attribute among `count` */
export const attributeWeight = (place: number, count: number): number =>
  count <= 1 ? 1 : 1 + ((FIRST_WEIGHT - 1) * (count - 1 - place)) / (count - 1);

/** How much it says that a document has something that `having` of `documents` have. */
export const information = (having: number, documents: number): number =>
  Math.log(1 + (documents - having + 0.5) / (having + 0.5));

/** What one occurrence counts in a field of `length` words. */
export const occurrenceWeight = (weight: number, length: number, average: number): number =>
  weight / (1 - B + (B * length) / average);

/** Of all that the occurrences of a word can say, up to `K1 + 1` times its information. */
export const saturated = (occurrences: number): number =>
  ((K1 + 1) * occurrences) / (K1 + occurrences);

/** Above all values of `saturated`. */
export const SATURATED_MAX = K1 + 1;

export const repetition = (times: number): number => ((K3 + 1) * times) / (K3 + times);

/** What of `NEAR_SHARE` two words at that distance add; a word before its neighbour is one further. */
export const nearness = (distance: number): number =>
  distance > NEAR_MAX ? 0 : (NEAR_MAX + 1 - distance) / NEAR_MAX;

/** Relevance is told apart in so many steps; later rules order the documents of one. */
export const STEPS = 5_000;

/** Step of a sum of contributions, 1 … STEPS, given the most that any document could have. */
export function stepOf(sum: number, most: number): number {
  if (!(most > 0)) return 1;
  const missing = 1 - Math.min(sum / most, 1);
  return Math.max(1, Math.ceil(STEPS * (1 - missing * missing * missing)));
}

/** A sum that is not above any of a step. */
export const leastOfStep = (step: number, most: number): number =>
  most * (1 - Math.cbrt(1 - (step - 1) / STEPS));
