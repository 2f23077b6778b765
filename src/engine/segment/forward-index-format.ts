/**
 * Format of a forward index: the words of each document in the order of its text, so that a search
 * reads all positions of a few documents without touching the posting lists of frequent words.
 * Written by `forward-index-writer.ts`, read by `forward-index.ts`.
 *
 *   forwardTerms     u32 × k: ordinals of the most frequent terms, ascending; a term's code is its place here
 *   forwardOffsets   u32 × (documents + 1): where the codes of each document begin in forwardCodes, in codes
 *   forwardCodes     u16:
 *     0 … k − 1           a word: the term with this code
 *     0xfc00 + n          the next word stands n positions further on, n < 1,021
 *     0xfffd, n           the same for any n
 *     0xfffe, field       what follows is in the segment-local field, from its position 0 on
 *     0xffff, low, high   a word: the term with the ordinal low + high * 65,536
 *
 * After a word the position grows by one; at the start of a document the field is 0 and the position
 * 0. Ranges of ordinals are ranges of codes, since both ascend. Files of releases before 2026-12 lack
 * these sections, and so do segments that are merged from such files.
 */

/** First code that is no term. */
export const CODES_MAX = 0xfc00;
export const GAP_CODE_MAX = 0xfffd - CODES_MAX;
export const LONG_GAP = 0xfffd;
export const FIELD = 0xfffe;
export const RARE_TERM = 0xffff;
