/** Sets of vectors with their true neighbours, from the data folder next to the repository. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { VectorMetric } from '../../src/engine/vectors/vectors.ts';
import { linesOf, readData, readJson } from './data-files.ts';

const FOLDER = resolve('../shared/data/vectors');

export interface VectorSet {
  readonly metric: VectorMetric;
  /** Document `i` has vector `i`. */
  readonly vectors: readonly Float32Array[];
  readonly queries: readonly {
    readonly vector: Float32Array;
    /** A document that is not searched among, or −1. */
    readonly except: number;
    /** The ten nearest. */
    readonly truth: readonly number[];
  }[];
}

const place = (path: string): string => join(FOLDER, path);

/** Rows of a file of vectors, by its path in the data folder. */
export function rowsOf(path: string, dimensions: number): Float32Array[] {
  const bytes = new Uint8Array(readData(place(path)));
  const { buffer } = bytes;
  const floats = path.includes('.f32.')
    ? new Float32Array(buffer)
    : path.includes('.u8.')
      ? Float32Array.from(bytes)
      : Float32Array.from(new Uint16Array(buffer), halfToFloat);
  return Array.from({ length: floats.length / dimensions }, (_, row) =>
    floats.slice(row * dimensions, (row + 1) * dimensions),
  );
}

function halfToFloat(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 31;
  const fraction = half & 0x3ff;
  return exponent === 0
    ? sign * fraction * 2 ** -24
    : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

type Id = number | string;

interface Truth {
  readonly queries: readonly {
    readonly query_id: Id;
    readonly top: readonly (readonly [Id, number])[];
  }[];
}

const idsOf = (path: string): Id[] =>
  linesOf(place(path)).map((line) => (JSON.parse(line) as { id: Id }).id);

/** @param queries the documents themselves when they ask for what is like them */
function vectorSet(
  metric: VectorMetric,
  ids: readonly Id[],
  vectors: readonly Float32Array[],
  queries: readonly Float32Array[] | null,
  truthFile: string,
): VectorSet {
  const rows = new Map(ids.map((id, row) => [id, row]));
  const truth = readJson(place(truthFile)) as Truth;
  return {
    metric,
    vectors,
    queries: truth.queries.map(({ query_id, top }, i) => {
      const row = rows.get(query_id) ?? -1;
      return {
        vector: queries === null ? vectors[row]! : queries[i]!,
        except: queries === null ? row : -1,
        truth: top.slice(0, 10).map(([id]) => rows.get(id)!),
      };
    }),
  };
}

const SETS = {
  minilm_movies: () => {
    const ids = idsOf('minilm_movies/tmdb_docs.ndjson.gz');
    const vectors = rowsOf('minilm_movies/tmdb_vectors.f32.bin.gz', 384);
    const queries = rowsOf('minilm_movies/imdb_vectors.f32.bin.gz', 384);
    const truth = 'minilm_movies/groundtruth_imdb_queries_on_tmdb.json.gz';
    return vectorSet('cosine', ids, vectors, queries, truth);
  },
  minilm_arxiv: () => {
    const ids = idsOf('minilm_arxiv/docs.ndjson.gz');
    const vectors = rowsOf('minilm_arxiv/vectors.f32.bin.gz', 384);
    return vectorSet('cosine', ids, vectors, null, 'minilm_arxiv/groundtruth_similar.json.gz');
  },
  lsa_movies: () => {
    const { doc_ids } = readJson(place('lsa_movies/ids.json.gz')) as { doc_ids: Id[] };
    const vectors = rowsOf('lsa_movies/docs.f16.bin.gz', 256);
    const queries = rowsOf('lsa_movies/queries.f16.bin.gz', 256);
    return vectorSet('cosine', doc_ids, vectors, queries, 'lsa_movies/groundtruth.json.gz');
  },
  bigann10k: () => {
    const vectors = rowsOf('bigann10k/base.u8.bin.gz', 128);
    const queries = rowsOf('bigann10k/queries.u8.bin.gz', 128);
    const truth = 'bigann10k/groundtruth_l2.json.gz';
    return vectorSet('euclidean', [...vectors.keys()], vectors, queries, truth);
  },
} satisfies Record<string, () => VectorSet>;

export type VectorSetName = keyof typeof SETS;

export const VECTOR_SETS = Object.keys(SETS) as readonly VectorSetName[];

export const hasVectorSets = existsSync(FOLDER);

export const readVectorSet = (name: VectorSetName): VectorSet => SETS[name]();
