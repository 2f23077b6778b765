/** How exactly documents match a query of one word, from digests of segments. */
import type { Placing, RangeDigest } from '../../../engine/segment/segment.ts';
import { andInto, andNotInto, orInto } from '../../../engine/sets/bitset.ts';
import { dealDigest } from '../../matching/digested-documents.ts';
import { DocSet } from '../../sets/doc-set.ts';
import { TYPED_ARRAY_POOL } from '../../sets/typed-array-pool.ts';
import type { ExactnessMatches } from '../../snapshot/cached-values.ts';
import type { Word } from '../../snapshot/derivations.ts';
import type { IndexSnapshot } from '../../snapshot/index-snapshot.ts';

export interface DigestedMatches extends ExactnessMatches {
  /** All examined documents, including those that do not match. */
  readonly docs: DocSet;
}

/**
 * Live documents with the word in searchable fields. @param position of the word in the query; the
 * first word must be at the start of a field
 */
export function digestedMatches(
  snapshot: IndexSnapshot,
  { ordinals }: Word,
  position: number,
): DigestedMatches {
  const { bitsetLength, segments, everywhere } = snapshot;
  const newSet = (): Uint32Array => TYPED_ARRAY_POOL.zeros(bitsetLength);
  const sets = { docs: newSet(), exactMatch: newSet(), matchesStart: newSet() };
  if (position === 0) {
    segments.forEach((segment, s) => {
      const ordinal = ordinals[s]!;
      const digest = ordinal < 0 ? null : segment.rangeDigest(ordinal, ordinal + 1);
      if (digest !== null && everywhere[s]!.outside === 0) addMatches(snapshot, s, digest, sets);
    });
  }
  return {
    docs: DocSet.fromBits(sets.docs),
    exactMatch: DocSet.fromBits(sets.exactMatch),
    matchesStart: DocSet.fromBits(sets.matchesStart),
  };
}

type MatchBits = Readonly<Record<keyof DigestedMatches, Uint32Array>>;

const isAtStart = ({ most }: Placing): boolean => most === 0;

/**
 * Documents that begin with the word match at the start; they match exactly if the field has no
 * other word.
 */
function addMatches(
  snapshot: IndexSnapshot,
  s: number,
  digest: RangeDigest,
  { docs, exactMatch, matchesStart }: MatchBits,
): void {
  const starting = [
    ...new Set(digest.fieldPositionClasses.filter(isAtStart).map(({ fields }) => fields)),
  ];
  const groupOf = (fieldPositionClass: Placing): number =>
    isAtStart(fieldPositionClass) ? starting.indexOf(fieldPositionClass.fields) : starting.length;
  dealDigest(snapshot, s, digest, groupOf, (group, bits) => {
    orInto(docs, bits);
    const fields = starting[group] ?? 0;
    if (fields === 0) return;
    const exact = andInto(ofOneWord(snapshot, s, fields), bits);
    orInto(exactMatch, exact);
    orInto(matchesStart, andNotInto(TYPED_ARRAY_POOL.copyOf(bits), exact));
  });
}

/** Documents with one word in one of the fields. @param fields of the segment, as bits */
function ofOneWord(
  { segments, bitsetLength }: IndexSnapshot,
  s: number,
  fields: number,
): Uint32Array {
  const bits = TYPED_ARRAY_POOL.zeros(bitsetLength);
  for (let rest = fields; rest !== 0; rest &= rest - 1)
    segments[s]!.addDocumentsWithWordCount(31 - Math.clz32(rest & -rest), 1, bits);
  return bits;
}
