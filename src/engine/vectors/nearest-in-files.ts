/**
 * The nearest documents of several files of one space, searched as if they were one: what is
 * estimated, and what is compared then, is chosen among the vectors of all.
 */
import { countAnd } from '../sets/bitset.ts';
import { ClusterSearch, type Clusters } from './cluster-search.ts';
import { ExactSearch } from './exact-search.ts';
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
  const [first] = files;
  if (first === undefined) return [];
  const coded = files.flatMap(({ file, universe }): Coded[] => {
    const { clusters } = file;
    return clusters === null ? [] : [{ file, universe, clusters }];
  });
  const matching = coded.reduce((count, searched) => count + matchingIn(searched), 0);
  const plan = planSearch({
    files: coded.map(({ clusters, file }) => ({
      clusters: clusters.count,
      vectors: file.vectorCount,
    })),
    documents: sum(coded, ({ file }) => file.documentCount),
    matching,
    k,
    effort,
  });
  const candidates = plan.kind === 'compare' ? [] : promising(coded, query, plan);
  // Made after the search of codes, which owns the same memory.
  const search = new ExactSearch(compareRows(query, first.file.space), k);
  if (plan.kind === 'compare') {
    for (const { file, universe } of files) search.compareAll(file, universe);
    return search.ranked();
  }
  for (const [number, { file }] of coded.entries()) search.compareOwners(file, candidates[number]!);
  const isShort = search.foundCount < Math.min(k, matching);
  if (isShort) return nearestInFiles(files, query, k, effort * 4);
  for (const { file, universe } of files)
    if (file.clusters === null) search.compareAll(file, universe);
  return search.ranked();
}

/** Ordinals of the vectors that codes promise to be the nearest, ascending, by file. */
function promising(
  coded: readonly Coded[],
  query: Float32Array,
  plan: Exclude<SearchPlan, { readonly kind: 'compare' }>,
): Uint32Array[] {
  const clusters = coded.map((searched) => searched.clusters);
  const search = new ClusterSearch(clusters, query, plan.candidates);
  if (plan.kind === 'probe') {
    const tests = coded.map(({ file, universe }) => file.owners.memberTest(universe));
    search.probe(plan.probes, tests);
  } else {
    for (const [number, { file, universe }] of coded.entries())
      search.lookUp(number, file.owners.ordinalsIn(universe));
  }
  return search.candidates();
}

const matchingIn = ({ file, universe }: SearchedFile): number =>
  universe === null ? file.documentCount : countAnd(universe, file.owners.documents);

function sum<T>(items: readonly T[], count: (item: T) => number): number {
  return items.reduce((total, item) => total + count(item), 0);
}
