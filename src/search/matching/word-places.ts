/** Positions of single words in some documents of a segment. */
import type { OccurrenceBuffer } from '../../engine/segment/segment.ts';
import type { DocSet } from '../sets/doc-set.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import type { Word } from '../snapshot/derivations.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { wordTerms } from './node-terms.ts';
import { RecordList } from './occurrence-records.ts';
import { readTerms } from './read-terms.ts';

/** Occurrences of each word in live documents of segment `s` and the set, by ascending DocId. */
export function wordPlaces(
  snapshot: IndexSnapshot,
  s: number,
  words: readonly Word[],
  docs: DocSet,
): OccurrenceBuffer[] {
  const wanted = words.map((word) => ({
    terms: wordTerms(word, 0).map((terms, other) => (other === s ? terms : [])),
    records: new RecordList(),
  }));
  docs.withBits(SCRATCH.pairs, (candidates) => readTerms(snapshot, wanted, { docs, candidates }));
  return wanted.map(({ records }) => records.occurrences());
}
