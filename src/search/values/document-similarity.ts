/**
 * How similar two documents are for `diversity` (relevance.md 5.11): by common values of an
 * attribute, or by their vectors.
 */
import { similarityOfSums } from '../../engine/vectors/similarity.ts';
import type { SearchRequest, SimilarBy } from '../../model/search.ts';
import type { Settings } from '../../model/settings.ts';
import { requireFilterable } from '../filter/filterable-fields.ts';
import { locateDocument } from '../snapshot/document-place.ts';
import { FieldValues } from '../snapshot/field-values.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { valueKeys } from './distinct.ts';

/** Similarity of vectors at a right angle; also if a document has no vector. */
const UNRELATED = 0.5;

/** @throws ApiError when the attribute is not filterable */
export function checkDiversity({ diversity }: SearchRequest, settings: Settings): void {
  if (diversity === null || 'embedder' in diversity) return;
  const { attribute: name } = diversity;
  requireFilterable(settings, name, {
    code: 'invalid_search_diversity',
    problem: `Attribute \`${name}\` is not filterable and thus cannot be \`diversity.attribute\`.`,
  });
}

/** Similarity, 0 … 1, of two documents by their numbers in the list. */
export type Similarity = (a: number, b: number) => number;

/** @param check called for each document; may throw */
export function similarityOf(
  snapshot: IndexSnapshot,
  by: SimilarBy,
  docs: readonly number[],
  check: () => void,
): Similarity {
  return 'attribute' in by
    ? byValues(new FieldValues(snapshot, by.attribute), docs, check)
    : byVectors(snapshot, by.embedder, docs, check);
}

/** Share of common values among the values of both documents; 0 if one of them has none. */
function byValues(field: FieldValues, docs: readonly number[], check: () => void): Similarity {
  const values = docs.map((doc) => {
    check();
    return new Set(valueKeys(field, doc));
  });
  return (a, b) => {
    const [own, other] = [values[a]!, values[b]!];
    if (own.size === 0 || other.size === 0) return 0;
    let common = 0;
    for (const value of own) if (other.has(value)) common += 1;
    return common / (own.size + other.size - common);
  };
}

/** `(1 + cosine) / 2`, where a document with several vectors has the direction of their mean. */
function byVectors(
  snapshot: IndexSnapshot,
  embedder: string,
  docs: readonly number[],
  check: () => void,
): Similarity {
  const directions = docs.map((doc) => {
    check();
    return directionOf(snapshot, embedder, doc);
  });
  const squares = directions.map((vector) => (vector === null ? 0 : dotProduct(vector, vector)));
  return (a, b) => {
    const [own, other] = [directions[a]!, directions[b]!];
    if (own === null || other === null) return UNRELATED;
    return similarityOfSums('cosine', dotProduct(own, other), squares[a]!, squares[b]!);
  };
}

/** Sum of the document's vectors, each of length 1; null without vectors. */
function directionOf(snapshot: IndexSnapshot, embedder: string, doc: number): Float32Array | null {
  const place = locateDocument(snapshot, doc);
  if (place === null) return null;
  const reader = snapshot.vectors[snapshot.segments.indexOf(place.segment)]!.get(embedder);
  if (reader === undefined) return null;
  const vectors = reader.vectorsOf(doc);
  if (vectors.length === 0) return null;
  const sum = new Float32Array(reader.space.dimensions);
  for (const stored of vectors) {
    const vector = reader.space.metric === 'hamming' ? stored.map((bit) => 2 * bit - 1) : stored;
    const length = Math.sqrt(dotProduct(vector, vector));
    if (length > 0) for (let i = 0; i < sum.length; i++) sum[i]! += vector[i]! / length;
  }
  return sum;
}

function dotProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
