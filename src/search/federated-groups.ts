/**
 * Groups of a federated search (relevance.md 5.9), made here or prepared for another instance, which
 * makes them of documents of several.
 */
import { limits } from '../core/limits.ts';
import {
  type FederatedGrouping,
  type FederatedPart,
  isTables,
  mergeHits,
} from '../model/federation.ts';
import type { GroupFacts } from '../model/shared-groups.ts';
import {
  docOf,
  hitsMaxOf,
  indexOf,
  type PlacedHit,
  placeHits,
  type RanIndex,
  type ShownHits,
  withoutRepeatedHits,
  writtenPlaces,
} from './federated-window.ts';
import type { DocSet } from './sets/doc-set.ts';
import { FieldValues } from './snapshot/field-values.ts';
import { groupValue, valueKeys } from './values/distinct.ts';
import { groupDocuments } from './values/grouped-documents.ts';
import { groupsOfValues } from './values/groups-of-indexes.ts';
import type { FacetGroups } from './values/segment-counts.ts';
import { valueCombinations } from './values/value-combinations.ts';

const DOCUMENTS_BETWEEN_CHECKS = 256;

/** One hit for each group of the documents of all indexes. */
export function groupedHits(
  ran: readonly RanIndex[],
  grouping: FederatedGrouping,
  ranked: readonly PlacedHit[],
): ShownHits {
  const { groupBy, groupSize, preceding } = grouping;
  const { search, deadline } = ran[0]!;
  const { end, has } = writtenPlaces(ranked, search.window);
  const combinations = preceding?.length === 0 ? combinationsOf(ran, groupBy) : [];
  const hasFacets = ran.some(({ search: { facets } }) => facets !== null);
  const indexes = ran.map((index) => ({
    snapshot: index.snapshot,
    candidates: index.candidates,
    hitsMax: hitsMaxOf(index),
  }));
  const { hits, groups, precedingGroups, representatives, facetGroups } = groupDocuments(
    indexes,
    {
      groupBy,
      groupSize,
      ranked,
      indexOf,
      docOf,
      preceding: preceding ?? [],
      end,
      isShown: (place) => preceding === null && has(place),
      rank: (docs, count, isDistinct) => rankWithin(ran, docs, count, isDistinct),
      hasFacets: hasFacets && (combinations.length === 0 || combinations.includes(null)),
    },
    deadline,
  );
  const named = preceding === null ? null : groupNamer(ran, groupBy);
  return {
    hits: named === null ? hits : hits.map(named),
    candidates: representatives,
    groups,
    precedingGroups: precedingGroups.map(({ count, members }) => {
      return { count, members: named === null ? members : members.map(named) };
    }),
    facetGroups: ran.map((_, i) => combinations[i]?.groups ?? facetGroups[i] ?? null),
    combinations: combinations.map((own) => ({
      combinations: own?.combinations ?? null,
      loneCount: own?.loneCount ?? 0,
    })),
  };
}

/** By index; null = too many. */
const combinationsOf = (ran: readonly RanIndex[], groupBy: string) =>
  ran.map(({ snapshot, candidates, deadline }) =>
    valueCombinations(snapshot, groupBy, candidates, {
      max: limits.sharedGroupsMax,
      check: deadline.checkOnceIn(DOCUMENTS_BETWEEN_CHECKS),
    }),
  );

/** Adds the members that another instance needs to group a hit. */
function groupNamer(ran: readonly RanIndex[], groupBy: string): (hit: PlacedHit) => PlacedHit {
  const values = ran.map(({ snapshot }) => new FieldValues(snapshot, groupBy));
  return (hit) => {
    const index = indexOf(hit);
    const doc = docOf(hit);
    const own = values[index]!;
    return {
      ...hit,
      distinctValues: valueKeys(own, doc),
      group: {
        document: `${ran[index]!.snapshot.manifest.uid} ${doc}`,
        value: groupValue(own, doc),
      },
    };
  };
}

/** null unless another instance makes groups. */
export function groupFacts(
  { snapshot, candidates, deadline }: RanIndex,
  combinations: ShownHits['combinations'][number],
  {
    groups,
    facets,
  }: { readonly groups: FacetGroups | null; readonly facets: FederatedPart['facets'] },
): GroupFacts | null {
  if (combinations === null) return null;
  const { length } = combinations.combinations ?? [];
  const tables = isTables(facets) ? facets : [];
  return {
    ...combinations,
    facets:
      combinations.combinations === null || tables.length === 0
        ? null
        : groupsOfValues(
            { snapshot, candidates, groups, tables },
            { combinationCount: length, max: limits.sharedFacetGroupsMax },
            deadline,
          ),
  };
}

/** The best documents of some sets by index, from all queries. @param isDistinct as of one query */
function rankWithin(
  ran: readonly RanIndex[],
  docs: readonly DocSet[],
  count: number,
  isDistinct: boolean,
): readonly PlacedHit[] {
  const lists = ran.map(({ snapshot, grouped }, i) => {
    const own = grouped.map(({ query, candidates, rankWithin: rankOf }) => {
      const found = candidates.retain(docs[i]!);
      if (found.isEmpty) return [];
      return placeHits(snapshot, query, rankOf(found, count, isDistinct), null);
    });
    return withoutRepeatedHits([...mergeHits(own)]);
  });
  return [...mergeHits(lists)];
}
