/** Reads the occurrences of query nodes in some documents, and what each may be used for. */
import type { QueryNode } from '../query/query-node.ts';
import type { DocSet } from '../sets/doc-set.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import type { MatchSets } from './match-sets.ts';
import { nodePhrases, nodeTerms, type PhraseOfClass, phraseTerms } from './node-terms.ts';
import { RecordList } from './occurrence-records.ts';
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
      for (const phrase of nodePhrases(node, typoMask))
        loadPhrase(phrase, { snapshot, sets, documents, to: wanted[i]! });
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

function loadPhrase(of: PhraseOfClass, { snapshot, sets, documents, to }: PhraseLoad): void {
  const docs = documents.docs.retain(sets.phrase(of.phrase));
  if (docs.isEmpty) return;
  const { records } = to;
  docs.withBits(SCRATCH.part, (candidates) => {
    for (const terms of phraseTerms(of))
      readTerms(snapshot, [{ terms, records }], { docs, candidates });
  });
}
