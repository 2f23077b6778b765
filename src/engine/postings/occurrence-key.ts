/**
 * Where in a document a word stands, as one number: the field in the upper 16 bits, the position in
 * the lower ones. Keys of one field are in order of position and differ by their distance.
 */

export const occurrenceKey = (field: number, position: number): number => (field << 16) | position;

export const fieldOfOccurrence = (key: number): number => key >>> 16;

export const positionOfOccurrence = (key: number): number => key & 0xffff;
