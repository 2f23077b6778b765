/**
 * The nearest documents of several files of one space, searched as if they were one: what is
 * estimated, and what is compared then, is chosen among the vectors of all.
 */
import { countAnd } from '../sets/bitset.ts';
import { ClusterSearch, type Clusters } from './cluster-search.ts';
import { exactNearest, nearestAmong } from './exact-search.ts';
import { compareRows } from './row-comparison.ts';
import { planSearch, type SearchPlan } from './search-plan.ts';
import type { VectorOwners } from './vector-owners.ts';
import type { VectorRows } from './vector-rows.ts';
import type { Neighbour, VectorSpace } from './vectors.ts';

/** What a search reads of a file. */
export interface SearchedVectors {
  readonly space: VectorSpace;
  readonly vectorCount: number;
  readonly documentCount: number;
  readonly rows: VectorRows;
  readonly owners: VectorOwners;
  readonly clusters: Clusters | null;
}

export interface SearchedFile {
  readonly file: SearchedVectors;
  /** Bitset of the DocIds to search among, without dead ones; null = all of the file. */
  readonly universe: Uint32Array | null;
}

type Coded = SearchedFile & { readonly clusters: Clusters };

/**
 * The `k` most similar documents, by descending similarity, equal ones by ascending DocId.
 * @param files no document is in two of their universes
 * @param effort multiple of the usual work
 */
export function nearestInFiles(
  files: readonly SearchedFile[],
  query: Float32Array,
  k: number,
  effort: number,
): Neighbour[] {
  const coded = files.flatMap((searched): Coded[] => {
    const { clusters } = searched.file;
    return clusters === null ? [] : [{ ...searched, clusters }];
  });
  const matching = coded.reduce((count, searched) => count + matchingIn(searched), 0);
  const plan = planSearch({
    files: coded.length,
    clusters: sum(coded, ({ clusters }) => (clusters.count > 1 ? clusters.count : 0)),
    vectors: sum(coded, ({ file }) => file.vectorCount),
    inOneCluster: sum(coded, ({ clusters, file }) => (clusters.count > 1 ? 0 : file.vectorCount)),
    documents: sum(coded, ({ file }) => file.documentCount),
    matching,
    k,
    effort,
  });
  if (plan.kind === 'compare') return best(files.map(comparedAll(query, k)), k);
  const promising = nearestByCodes(coded, query, k, plan);
  const isShort = sum(promising, ({ length }) => length) < Math.min(k, matching);
  if (isShort) return nearestInFiles(files, query, k, effort * 4);
  const uncoded = files.filter(({ file }) => file.clusters === null);
  return best([...promising, ...uncoded.map(comparedAll(query, k))], k);
}

/** By file: the nearest of those that codes promise to be. */
function nearestByCodes(
  coded: readonly Coded[],
  query: Float32Array,
  k: number,
  plan: Exclude<SearchPlan, { readonly kind: 'compare' }>,
): Neighbour[][] {
  const clusters = coded.map((searched) => searched.clusters);
  const search = new ClusterSearch(clusters, query, plan.candidates);
  if (plan.kind === 'probe') {
    const tests = coded.map(({ file, universe }) => file.owners.memberTest(universe));
    search.probe(plan.probes, tests);
  } else {
    for (const [number, { file, universe }] of coded.entries())
      search.lookUp(number, file.owners.ordinalsIn(universe));
  }
  return coded.flatMap(({ file }, number) => {
    const candidates = search.candidatesOf(number);
    if (candidates.length === 0) return [];
    const comparison = compareRows(query, file.space.metric, file.rows);
    return [nearestAmong(file.owners, comparison, k, candidates)];
  });
}

const comparedAll =
  (query: Float32Array, k: number) =>
  ({ file, universe }: SearchedFile): Neighbour[] =>
    exactNearest(file.owners, compareRows(query, file.space.metric, file.rows), k, universe);

const matchingIn = ({ file, universe }: SearchedFile): number =>
  universe === null ? file.documentCount : countAnd(universe, file.owners.documents);

function sum<T>(items: readonly T[], count: (item: T) => number): number {
  return items.reduce((total, item) => total + count(item), 0);
}

function best(lists: readonly Neighbour[][], k: number): Neighbour[] {
  if (lists.length === 1) return lists[0]!;
  return lists
    .flat()
    .sort((a, b) => b.similarity - a.similarity || a.docId - b.docId)
    .slice(0, k);
}
