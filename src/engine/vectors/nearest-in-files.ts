/**
 * The nearest documents of several files of one space, searched like one file: candidates for
 * estimation and comparison are chosen among the vectors of all files.
 */
import { countAnd } from '../sets/bitset.ts';
import { ClusterSearch, type Clusters } from './cluster-search.ts';
import { ExactSearch } from './exact-search.ts';
import { compareRows } from './row-comparison.ts';
import { type CodedFile, planSearch, type SearchPlan } from './search-plan.ts';
import type { Neighbour } from './vectors.ts';
import type { VectorsFile } from './vectors-reader.ts';

export interface SearchedFile {
  readonly file: VectorsFile;
  /** Bitset of the DocIds to search among, without dead ones; null = all of the file. */
  readonly universe: Uint32Array | null;
}

type Coded = SearchedFile & { readonly clusters: Clusters };

/**
 * The `k` most similar documents (fewer when there are fewer), by descending similarity, equal ones by
 * ascending DocId. Similarities are exact for the kept precision.
 * @param files no document is in two of their universes
 * @param query `space.dimensions` finite numbers
 * @param effort multiple of the usual work; `Infinity` gives the answer of an exhaustive search
 */
export function nearestInFiles(
  files: readonly SearchedFile[],
  query: Float32Array,
  k: number,
  effort = 1,
): Neighbour[] {
  const [first] = files;
  if (first === undefined) return [];
  const coded: Coded[] = [];
  const sizes: CodedFile[] = [];
  let documents = 0;
  let matching = 0;
  for (const { file, universe } of files) {
    const { clusters } = file;
    if (clusters === null) continue;
    coded.push({ file, universe, clusters });
    sizes.push({ clusters: clusters.count, vectors: file.vectorCount });
    documents += file.documentCount;
    matching += matchingIn(file, universe);
  }
  const plan = planSearch({ files: sizes, documents, matching, k, effort });
  const candidates = plan.kind === 'compare' ? [] : promising(coded, query, plan);
  // Created after the search of codes, which owns the same memory.
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

/** Ordinals of the vectors with the best estimates, ascending, by file. */
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

const matchingIn = (
  { documentCount, owners }: VectorsFile,
  universe: Uint32Array | null,
): number => (universe === null ? documentCount : countAnd(universe, owners.documents));
