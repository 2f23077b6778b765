/** Order of points along a Hilbert curve: neighbours on the curve are neighbours on the map. */

const SIDE_BITS_MAX = 16;

/** Position on the curve of the cell (x, y) of a square with 2^`bits` cells a side. */
function hilbertPlace(x: number, y: number, bits: number): number {
  let place = 0;
  for (let bit = bits - 1; bit >= 0; bit--) {
    const right = (x >>> bit) & 1;
    const upper = (y >>> bit) & 1;
    place = place * 4 + ((3 * right) ^ upper);
    if (upper === 0) {
      const last = (1 << bits) - 1;
      if (right === 1) {
        x = last - x;
        y = last - y;
      }
      [x, y] = [y, x];
    }
  }
  return place;
}

/** The numbers 0 … `count` − 1 in the order of the curve; coordinates are within `[0, 1]`. */
export function hilbertOrder(
  count: number,
  x: (i: number) => number,
  y: (i: number) => number,
): Uint32Array {
  const spareBits = Math.max(1, Math.ceil(Math.log2(count + 1)));
  const bits = Math.min(SIDE_BITS_MAX, (53 - spareBits) >>> 1);
  const last = (1 << bits) - 1;
  const spare = 2 ** spareBits;
  const keys = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    keys[i] = hilbertPlace(Math.round(x(i) * last), Math.round(y(i) * last), bits) * spare + i;
  }
  keys.sort();
  return Uint32Array.from(keys, (key) => key % spare);
}
