/** The first films of the shared corpus, if it is next to the project. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface Film {
  readonly id: number;
  readonly title: string;
  readonly genres: readonly string[];
  readonly cast: readonly string[];
  readonly year: number;
}

const FILE = resolve(import.meta.dirname, '../../../shared/data/corpora/movies.ndjson.gz');

/** Null when the corpus is absent. */
export function films(count: number): Film[] | null {
  if (!existsSync(FILE)) return null;
  const lines = gunzipSync(readFileSync(FILE)).toString().split('\n', count);
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Film);
}
