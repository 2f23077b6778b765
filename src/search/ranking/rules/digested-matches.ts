/** How exactly documents match a query of one word, in segments that have a digest of it. */
import type { RangeDigest } from '../../../engine/segment/range-digests.ts';
import { digestedDocuments } from '../../matching/digested-documents.ts';
import { DocSet } from '../../sets/doc-set.ts';
import { TYPED_ARRAY_POOL } from '../../sets/typed-array-pool.ts';
import type { ExactnessMatches } from '../../snapshot/cached-values.ts';
import type { Word } from '../../snapshot/derivations.ts';
import type { IndexSnapshot } from '../../snapshot/index-snapshot.ts';

export interface DigestedMatches extends ExactnessMatches {
  /** All documents covered by digests, matching or not. */
  readonly docs: DocSet;
}

/**
 * Living documents with the word in searchable fields.
 * @param position of the word in the query: that of the first is where every field begins
 */
export function digestedMatches(
  snapshot: IndexSnapshot,
  { ordinals }: Word,
  position: number,
): DigestedMatches {
  const { bitsetLength, segments, everywhere } = snapshot;
  const docs: DocSet[] = [];
  const exact: DocSet[] = [];
  const starting: DocSet[] = [];
  if (position === 0) {
    segments.forEach((segment, s) => {
      const ordinal = ordinals[s]!;
      const digest = ordinal < 0 ? null : segment.rangeDigest(ordinal, ordinal + 1);
      if (digest === null || everywhere[s]!.outside !== 0) return;
      docs.push(digestedDocuments(snapshot, s, digest, () => true));
      for (const { matches, isExact } of matchesOf(snapshot, s, digest))
        (isExact ? exact : starting).push(matches);
    });
  }
  return {
    docs: DocSet.unionOf(docs, bitsetLength),
    exactMatch: DocSet.unionOf(exact, bitsetLength),
    matchesStart: DocSet.unionOf(starting, bitsetLength),
  };
}

/** Documents that begin with the word match its start; exactly, if the field has no other word. */
function matchesOf(
  snapshot: IndexSnapshot,
  s: number,
  digest: RangeDigest,
): { readonly matches: DocSet; readonly isExact: boolean }[] {
  const classes = digest.fieldPositionClasses;
  const starting = new Set(classes.filter(({ most }) => most === 0).map(({ fields }) => fields));
  return [...starting].flatMap((fields) => {
    const isChosen = (n: number): boolean =>
      classes[n]!.most === 0 && classes[n]!.fields === fields;
    const docs = digestedDocuments(snapshot, s, digest, isChosen);
    const exact = docs.intersect(ofOneWord(snapshot, s, fields));
    return [
      { matches: exact, isExact: true },
      { matches: docs.without(exact), isExact: false },
    ];
  });
}

/** Documents with exactly one word in one of the fields. @param fields of the segment, as bits */
function ofOneWord(
  { segments, bitsetLength }: IndexSnapshot,
  s: number,
  fields: number,
): Uint32Array {
  const bits = TYPED_ARRAY_POOL.zeros(bitsetLength);
  for (let rest = fields; rest !== 0; rest &= rest - 1)
    segments[s]!.wordCounts.addDocuments(31 - Math.clz32(rest & -rest), 1, bits);
  return bits;
}
