/** Ranking context for searches without words: sorts of document reads, vector search. */
import { Deadline } from '../../core/deadline.ts';
import { FieldNeighbours } from '../matching/field-neighbours.ts';
import { MatchSets } from '../matching/match-sets.ts';
import { ReadingScan } from '../matching/reading-scan.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import type { RankingContext } from './rules/ranking-rule.ts';

export function wordlessContext(snapshot: IndexSnapshot): RankingContext {
  const sets = new MatchSets(snapshot, null);
  const presentFields = new Uint8Array(0);
  return {
    snapshot,
    sets,
    fieldNeighbours: new FieldNeighbours(snapshot, sets, presentFields),
    readingScan: new ReadingScan(snapshot),
    query: { nodes: [], termCount: 0, phraseWordCount: 0 },
    takesAnyWord: false,
    deadline: Deadline.never(),
    removalGroups: new Int32Array(0),
    presentFields,
  };
}
