/** Pools the token vectors of a text to one vector of length 1. */
import type { TokenPooling } from './model-description.ts';

/** Token vectors, text after text, each padded to the same number of positions. */
export interface TokenVectors {
  readonly values: Float32Array;
  /** Positions per text. */
  readonly places: number;
  readonly dimensions: number;
}

/** @param count tokens of the text, which are the first of its positions; at least 1 */
export function poolTokens(
  { values, places, dimensions }: TokenVectors,
  text: number,
  count: number,
  pooling: TokenPooling,
): Float32Array {
  const first = text * places * dimensions;
  const pooled = values.slice(first, first + dimensions);
  for (let token = 1; pooling !== 'cls' && token < count; token++) {
    const begin = first + token * dimensions;
    for (let at = 0; at < dimensions; at++) {
      const value = values[begin + at] as number;
      const before = pooled[at] as number;
      pooled[at] = pooling === 'mean' ? before + value : Math.max(before, value);
    }
  }
  return toUnitLength(pooled);
}

/** Normalizes the vector itself, without a copy. A vector of zeros stays as it is. */
export function toUnitLength(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  if (length > 0)
    for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] as number) / length;
  return vector;
}
