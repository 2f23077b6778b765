/** A corpus of the benchmark data: documents as NDJSON lines, and its queries by category. */
import { join } from 'node:path';
import { linesOf, readJson } from './data-files.ts';

export interface BenchQuery {
  readonly category: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Corpus {
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
  readonly repeat: number;
  readonly rawBytes: number;
  readonly queries: readonly BenchQuery[];
}

interface QueryFile {
  readonly settings: Record<string, unknown>;
  readonly queries: readonly {
    category: string;
    params: Record<string, unknown>;
    keystrokes?: readonly string[];
  }[];
}

/** @param repeat how many times the documents are indexed, under distinct ids */
export function loadCorpus(dataDir: string, name: string, repeat: number): Corpus {
  const lines = linesOf(join(dataDir, 'corpora', `${name}.ndjson.gz`));
  const file = readJson(join(dataDir, 'queries', `${name}.json.gz`)) as QueryFile;
  const queries = file.queries.flatMap(({ category, params, keystrokes }) =>
    keystrokes
      ? keystrokes.map((q) => ({ category: 'typing', body: { ...params, q } }))
      : [{ category, body: params }],
  );
  return {
    name,
    settings: file.settings,
    lines,
    repeat,
    rawBytes: Buffer.byteLength(lines.join('\n')) * repeat,
    queries,
  };
}

/** The line under another id for each repetition after the first. */
export function renamed(line: string, repetition: number): string {
  if (repetition === 0) return line;
  return line.replace(/"id":\s*("?)([A-Za-z0-9_-]+)"?/, (_, quote: string, id: string) =>
    quote ? `"id":"r${repetition}-${id}"` : `"id":${Number(id) + repetition * 10_000_000}`,
  );
}
