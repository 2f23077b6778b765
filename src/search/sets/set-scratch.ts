/**
 * Space in which sets of documents come into being: one for all searches of a thread, grown to what
 * the largest index needs.
 */

let bits = new Uint32Array(0);
let list = new Uint32Array(0);

/** At least `words` long and all zero, as its user leaves it. */
export function scratchBits(bitsetLength: number): Uint32Array {
  if (bits.length < bitsetLength) bits = new Uint32Array(bitsetLength);
  return bits;
}

/** Room for `length` numbers, whatever it holds; valid until the next call. */
export function scratchList(length: number): Uint32Array {
  if (list.length < length) list = new Uint32Array(Math.max(length, 2 * list.length));
  return list;
}
