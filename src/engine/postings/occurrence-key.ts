/**
 * Position of a word in a document as one number: the field in the upper 16 bits, the position in
 * the field in the lower 16. Keys of one field ascend by position; their difference is the
 * distance.
 */

export const occurrenceKey = (field: number, position: number): number => (field << 16) | position;

export const fieldOfOccurrence = (key: number): number => key >>> 16;

export const positionOfOccurrence = (key: number): number => key & 0xffff;

/**
 * Growable struct of arrays: occurrence `i` is in document `docs[i]` at `keys[i]`. Owned and reused
 * by the caller.
 */
export interface OccurrenceBuffer {
  docs: Uint32Array;
  /** An `occurrenceKey` each, with the field number assigned by the `fieldMap` of the read call. */
  keys: Uint32Array;
  length: number;
}

export const newOccurrences = (capacity: number): OccurrenceBuffer => ({
  docs: new Uint32Array(capacity),
  keys: new Uint32Array(capacity),
  length: 0,
});
