/**
 * What columns cost and how fast they answer. Arguments: NDJSON files `DIR/corpora/NAME.ndjson.gz`;
 * the settings come from `settings` of `DIR/queries/NAME.json.gz`. Indexing runs in one thread;
 * "one more" is making the last filterable attribute filterable on the finished segments.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { gunzipSync } from 'node:zlib';
import { createAnalyzer } from '../../src/engine/analysis/analyzer.ts';
import { ColumnsReader } from '../../src/engine/columns/columns-reader.ts';
import type { ValueSet } from '../../src/engine/columns/value-postings.ts';
import { PayloadReader } from '../../src/engine/json/payload-reader.ts';
import { SegmentReader } from '../../src/engine/segment/segment-reader.ts';
import { addRange, makeBitset } from '../../src/engine/sets/bitset.ts';
import { SegmentAssembler } from '../../src/indexing/files/segment-assembler.ts';
import { bytesByComponent } from '../../src/model/index-manifest.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../src/model/settings.ts';
import { columnPatterns } from '../../src/segments/columns/column-coverage.ts';
import { componentOf, isOfDocuments, planFiles } from '../../src/segments/components.ts';
import { DocumentEntries } from '../../src/segments/contract/document-entries.ts';
import { MemoryDirectory } from '../bench/memory-directory.ts';

const ROUNDS = 3;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

function read(file: string): Uint8Array {
  const raw = readFileSync(file);
  return file.endsWith('.gz') ? gunzipSync(raw) : raw;
}

function best<T>(run: () => T, rounds = ROUNDS): { readonly ms: number; readonly result: T } {
  let ms = Number.POSITIVE_INFINITY;
  let result: T | undefined;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    result = run();
    ms = Math.min(ms, performance.now() - start);
  }
  return { ms, result: result as T };
}

/** @param files of each segment; absent = all that the settings ask for */
function index(bytes: Uint8Array, settings: Settings, files = planFiles([], settings).build) {
  const directory = new MemoryDirectory();
  const analyzer = createAnalyzer(settings);
  const assembler = new SegmentAssembler({
    directory,
    analyzer: () => analyzer,
    settings,
    files,
    idPrefix: 'bench',
    rawBytesMax: 32 * 1024 ** 2,
    memoryBytesMax: 1024 ** 3,
  });
  const reader = new PayloadReader(bytes, 'ndjson');
  const id = new TextEncoder();
  const entries = new DocumentEntries();
  for (let docId = 0; reader.next(); docId++)
    assembler.add(docId, id.encode(String(docId)), reader.tape, entries.begin(reader.tape));
  return { directory, entries: assembler.finish() };
}

/** Rates of the widest sets of values: all documents, all values. */
function reportReads(columns: readonly ColumnsReader[], documentCount: number): void {
  const all = makeBitset(documentCount);
  addRange(all, 0, documentCount);
  for (const field of new Set(columns.flatMap(({ paths }) => paths))) {
    for (const kind of ['numbers', 'strings'] as const) {
      const sets = columns.flatMap((file): ValueSet[] => {
        const values = file.column(field)?.[kind];
        return values && values.count > 0 ? [values] : [];
      });
      if (sets.length === 0) continue;
      const counts = sets.map(({ count }) => new Uint32Array(count));
      const bits = makeBitset(documentCount);
      const counting = best(() => {
        for (const [i, values] of sets.entries()) values.countInto(all, counts[i] as Uint32Array);
      }, 30);
      const range = best(() => {
        for (const values of sets) values.addDocuments(0, values.count, bits);
      }, 30);
      const entries = sets.reduce((sum, values) => {
        for (let ordinal = 0; ordinal < values.count; ordinal++)
          sum += values.documentFrequency(ordinal);
        return sum;
      }, 0);
      const values = sets.reduce((sum, { count }) => sum + count, 0);
      const rate = (ms: number) => `${(entries / ms / 1e3).toFixed(0).padStart(5)} M/s`;
      print(
        `  ${field.padEnd(22)} ${kind} ${String(values).padStart(7)} values ${String(entries).padStart(7)} entries  count ${rate(counting.ms)}  range ${rate(range.ms)}`,
      );
    }
  }
}

const columnsOf = (documents: SegmentReader, pattern: string, settings: Settings): Uint8Array[] =>
  componentOf('columns').merge({
    segmentId: 'bench',
    covers: [pattern],
    settings,
    sources: [],
    documents,
  });

function report(file: string, settingsFile: string): void {
  const bytes = read(file);
  const { settings } = JSON.parse(new TextDecoder().decode(read(settingsFile))) as {
    settings: Partial<Settings>;
  };
  const whole: Settings = { ...DEFAULT_SETTINGS, ...settings };
  const patterns = columnPatterns(whole);
  print(`${file}: ${(bytes.length / 1e6).toFixed(1)} MB, columns of ${patterns.join(', ')}`);
  const onlyDocuments = planFiles([], whole).build.filter(isOfDocuments);
  const without = best(() => index(bytes, whole, onlyDocuments), 2);
  const withColumns = best(() => index(bytes, whole), 2);
  const { directory, entries } = withColumns.result;
  const sizes = bytesByComponent(entries);
  const documentCount = entries.reduce((sum, entry) => sum + entry.documentCount, 0);
  print(
    `  ${documentCount} documents in ${entries.length} segments; indexing ${without.ms.toFixed(0)} ms, with columns ${withColumns.ms.toFixed(0)} ms`,
  );
  const share = (part: number) =>
    `${(part / 1e6).toFixed(2)} MB (${((part / bytes.length) * 100).toFixed(1)} % of raw)`;
  for (const [component, size] of sizes) print(`  ${component} ${share(size)}`);
  const readers = entries.map(({ id }) => new SegmentReader(id, directory.open(`${id}.seg`).bytes));
  for (const pattern of patterns) {
    const built = best(() => readers.map((reader) => columnsOf(reader, pattern, whole)), 2);
    const size = built.result.flat().reduce((sum, { length }) => sum + length, 0);
    print(
      `  one more: ${pattern.padEnd(22)} ${built.ms.toFixed(0).padStart(5)} ms  ${share(size)}`,
    );
  }
  reportReads(
    entries.map(({ id }) => new ColumnsReader(id, directory.open(`${id}.col`).bytes)),
    documentCount,
  );
}

for (const file of process.argv.slice(2)) {
  const name = path.basename(file).replace(/\.ndjson(\.gz)?$/, '');
  const settingsFile = path.join(path.dirname(file), '..', 'queries', `${name}.json.gz`);
  if (existsSync(settingsFile)) report(file, settingsFile);
  else print(`${file}: no ${settingsFile}`);
}
