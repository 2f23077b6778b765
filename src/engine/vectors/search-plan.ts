/** Chooses between comparing, looking up and probing by estimated cost: a pure function. */

/**
 * Costs per vector, in exact comparisons: looking up its code alone, and estimating it in a block
 * with 31 others. Measured at 384 dimensions.
 */
const LOOK_UP_COST = 0.3;
const ESTIMATE_COST = 0.045;

/** Vectors to estimate: at least this number, a share of larger files. */
const ESTIMATED_MIN = 10_000;
const ESTIMATED_SHARE = 1 / 50;
/** Least number of matching vectors among the estimated ones. */
const ESTIMATED_MATCHING_MIN = 1_000;
/** Vectors to compare of 10,000 matching ones, and the increase for each factor of ten. */
const CANDIDATES = 100;
const MORE_CANDIDATES = 40;
/**
 * Codes of several files are coarser, since each file has fewer clusters: increase of the
 * candidates, as a share, for each doubling of the files.
 */
const MORE_OF_FILES = 0.2;
/** Candidates per wanted document, if many are wanted. */
const CANDIDATES_PER_DOCUMENT = 3;

/** Least number of clusters to probe in a file. */
const PROBES_MIN = 10;

/** Sizes of a file that has codes. */
export interface CodedFile {
  readonly clusters: number;
  readonly vectors: number;
}

/** Sizes of the files that have codes. */
export interface SearchSizes {
  readonly files: readonly CodedFile[];
  readonly documents: number;
  /** Documents of the universe that have vectors. */
  readonly matching: number;
  /** Documents wanted. */
  readonly k: number;
  /** Multiple of the usual work. */
  readonly effort: number;
}

export type SearchPlan =
  /** Compare all vectors of the universe. */
  | { readonly kind: 'compare' }
  /** Estimate the vectors of the universe by their codes, compare the best. */
  | { readonly kind: 'lookUp'; readonly candidates: number }
  /**
   * Estimate the vectors of this number of nearest clusters of each file; compare the best of the
   * universe.
   */
  | { readonly kind: 'probe'; readonly probes: readonly number[]; readonly candidates: number };

export function planSearch(sizes: SearchSizes): SearchPlan {
  const { files, documents, k, effort } = sizes;
  const vectors = files.reduce((sum, file) => sum + file.vectors, 0);
  if (vectors === 0) return { kind: 'compare' };
  const perDocument = vectors / documents;
  const matching = sizes.matching * perDocument;
  const grown = CANDIDATES + MORE_CANDIDATES * Math.max(0, Math.log10(matching / 10_000));
  const ofFiles = 1 + MORE_OF_FILES * Math.log2(files.length);
  const wanted = Math.max(grown * ofFiles, k * perDocument * CANDIDATES_PER_DOCUMENT);
  const candidates = Math.ceil(wanted * effort);
  const estimated = Math.max(ESTIMATED_MIN, vectors * ESTIMATED_SHARE);
  const estimatedMatching = Math.max(ESTIMATED_MATCHING_MIN, candidates * 2);
  const needed = Math.max(estimated / vectors, estimatedMatching / matching);
  const share = Math.min(1, needed * effort);
  const probes = files.map(({ clusters }) =>
    Math.min(clusters, Math.max(PROBES_MIN, Math.ceil(clusters * share))),
  );
  const probed = files.reduce(
    (sum, file, f) => sum + file.vectors * (probes[f]! / file.clusters),
    0,
  );
  const lookUpCost = matching * LOOK_UP_COST + candidates;
  const probeCost = probed * ESTIMATE_COST + candidates;
  if (matching <= Math.min(lookUpCost, probeCost)) return { kind: 'compare' };
  if (lookUpCost < probeCost) return { kind: 'lookUp', candidates };
  return { kind: 'probe', probes, candidates };
}
