/** Parses the vectors of a provider's response, or describes the value found instead. */
import { limits } from '../../core/limits.ts';
import { EmbeddingError } from '../embedder.ts';

/**
 * @param dimensions required; null = those of the first vector
 * @param first number of the first input, for errors
 * @throws EmbeddingError whose message completes "The provider gave …"
 */
export function readVectors(
  values: readonly unknown[],
  count: number,
  dimensions: number | null,
  first: number,
): readonly Float32Array[] {
  if (values.length !== count)
    throw new EmbeddingError(`${values.length} vectors for ${count} inputs.`);
  const [head] = values;
  const expected = dimensions ?? (Array.isArray(head) ? head.length : 0);
  return values.map((value, at) => readVector(value, expected, first + at));
}

function readVector(value: unknown, dimensions: number, inputAt: number): Float32Array {
  if (!Array.isArray(value) || value.length === 0 || value.length > limits.vectorDimensionsMax)
    throw new EmbeddingError('something else than a list of numbers.', inputAt);
  if (value.length !== dimensions) {
    const message = `a vector of ${value.length} dimensions, expected ${dimensions}.`;
    throw new EmbeddingError(message, inputAt);
  }
  const vector = new Float32Array(dimensions);
  for (let at = 0; at < dimensions; at += 1) {
    const number: unknown = value[at];
    vector[at] = typeof number === 'number' ? number : Number.NaN;
    if (!Number.isFinite(vector[at]))
      throw new EmbeddingError(`a vector whose number ${at} is none.`, inputAt);
  }
  return vector;
}
