/** How arrays that fill up get more room. */

/** A copy of twice the length, with zeros behind what was there. */
export function doubled(items: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(items.length * 2);
  larger.set(items);
  return larger;
}
