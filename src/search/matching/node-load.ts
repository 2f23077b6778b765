/** Reads the occurrences of query nodes in some documents, and what each may be used for. */
import type { QueryNode } from '../query/query-node.ts';
import type { DocSet } from '../sets/doc-set.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import type { Phrase } from '../snapshot/derivations.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import type { MatchSets } from './match-sets.ts';
import { nodePhrases, nodeTerms, wordTerms } from './node-terms.ts';
import { OccurrenceClass, RecordList } from './occurrence-records.ts';
import { readTerms, type WantedRecords, type WithinDocuments } from './read-terms.ts';

/** A node and the numbers of typos with which it is wanted, as bits. */
export interface WantedNode {
  readonly node: QueryNode;
  readonly typoMask: number;
}

/** The records of each node. */
export function loadNodes(
  snapshot: IndexSnapshot,
  sets: MatchSets,
  docs: DocSet,
  nodes: readonly WantedNode[],
): RecordList[] {
  const wanted = nodes.map(({ node, typoMask }) => ({
    terms: nodeTerms(node, typoMask, snapshot.segments.length),
    records: new RecordList(),
  }));
  docs.withBits(SCRATCH.universe, (candidates) => {
    const documents = { docs, candidates };
    nodes.forEach(({ node, typoMask }, i) => {
      for (const { phrase, recordClass } of nodePhrases(node, typoMask))
        loadPhrase(phrase, recordClass, { snapshot, sets, documents, to: wanted[i]! });
    });
    readTerms(snapshot, wanted, documents);
  });
  return wanted.map(({ records }) => records);
}

interface PhraseLoad {
  readonly snapshot: IndexSnapshot;
  readonly sets: MatchSets;
  readonly documents: WithinDocuments;
  readonly to: WantedRecords;
}

/**
 * A phrase stands with its first word to its left neighbour and with its last word to its right
 * one.
 */
function loadPhrase(
  phrase: Phrase,
  baseClass: number,
  { snapshot, sets, documents, to }: PhraseLoad,
): void {
  const docs = documents.docs.retain(sets.phrase(phrase));
  if (docs.isEmpty) return;
  const { slots } = phrase;
  const firstWord = slots.find((word) => word !== null)!;
  const rightClass = slots[0] ? OccurrenceClass.right : 0;
  const last = slots[slots.length - 1];
  const first = wordTerms(firstWord, baseClass | OccurrenceClass.place | rightClass);
  const { records } = to;
  docs.withBits(SCRATCH.part, (candidates) => {
    readTerms(snapshot, [{ terms: first, records }], { docs, candidates });
    if (!last) return;
    const terms = wordTerms(last, baseClass | OccurrenceClass.left);
    readTerms(snapshot, [{ terms, records }], { docs, candidates });
  });
}
