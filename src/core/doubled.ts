/** Grows typed arrays by doubling. */

type Numbers = Float32Array | Float64Array | Int32Array | Uint8Array | Uint16Array | Uint32Array;

/** A copy of twice the length, filled up with zeros. */
export function doubled(items: Float32Array): Float32Array<ArrayBuffer>;
export function doubled(items: Float64Array): Float64Array<ArrayBuffer>;
export function doubled(items: Int32Array): Int32Array<ArrayBuffer>;
export function doubled(items: Uint8Array): Uint8Array<ArrayBuffer>;
export function doubled(items: Uint16Array): Uint16Array<ArrayBuffer>;
export function doubled(items: Uint32Array): Uint32Array<ArrayBuffer>;
export function doubled(items: Numbers): Numbers {
  const larger = new (items.constructor as new (length: number) => Numbers)(items.length * 2);
  larger.set(items);
  return larger;
}
