/** Positions of single words in some documents. */
import type { OccurrenceBuffer } from '../../engine/segment/segment.ts';
import type { DocSet } from '../sets/doc-set.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import type { Word } from '../snapshot/derivations.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { wordTerms } from './node-terms.ts';
import { RecordList } from './occurrence-records.ts';
import { readTerms } from './read-terms.ts';

/** Occurrences of each word in the live documents of the set, in ascending order of DocId. */
export function wordPlaces(
  snapshot: IndexSnapshot,
  words: readonly Word[],
  docs: DocSet,
): OccurrenceBuffer[] {
  const wanted = words.map((word) => ({ terms: wordTerms(word, 0), records: new RecordList() }));
  docs.withBits(SCRATCH.pairs, (candidates) => readTerms(snapshot, wanted, { docs, candidates }));
  return wanted.map(({ records }) => records.sorted());
}
