/**
 * Documents per second of the real indexing path on one thread, by stage. Arguments: NDJSON files
 * (optionally .gz).
 */
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { gunzipSync } from 'node:zlib';
import { type Analyzer, createAnalyzer } from '../../src/engine/analysis/analyzer.ts';
import { DisplayTokens } from '../../src/engine/analysis/tokens/display-tokens.ts';
import type { WordSink } from '../../src/engine/analysis/tokens/token.ts';
import { PayloadReader } from '../../src/engine/json/payload-reader.ts';
import { SegmentBuilder } from '../../src/engine/segment/segment-builder.ts';
import type { DocumentWrites } from '../../src/indexing/batch/document-writes.ts';
import { FinalDocuments } from '../../src/indexing/batch/final-documents.ts';
import { resolveBatch } from '../../src/indexing/batch/resolve-batch.ts';
import { SegmentAssembler } from '../../src/indexing/files/segment-assembler.ts';
import { checkPayload } from '../../src/indexing/payload/check-payload.ts';
import { parsePayload } from '../../src/indexing/payload/parse-payload.ts';
import { BatchProgress } from '../../src/model/batch-progress.ts';
import { fileBytesOf } from '../../src/model/index-manifest.ts';
import { DEFAULT_SETTINGS } from '../../src/model/settings.ts';
import { FieldFlattener } from '../../src/segments/documents/field-flattener.ts';
import { MemoryDirectory } from '../bench/memory-directory.ts';

const ROUNDS = 3;
const settings = DEFAULT_SETTINGS;
const analyzer = createAnalyzer(settings);

/** Takes words and forgets them: what is left is scanning, flattening and analysis. */
class NullBuilder implements Pick<SegmentBuilder, 'fieldNumber' | 'word' | 'chunk'> {
  words = 0;
  readonly #fields = new Map<string, number>();
  fieldNumber(path: string): number {
    const number = this.#fields.get(path) ?? this.#fields.size;
    this.#fields.set(path, number);
    return number;
  }
  word(): void {
    this.words += 1;
  }
  chunk(): void {
    this.words += 1;
  }
}

const silent: WordSink = { word: () => undefined };

function stages(bytes: Uint8Array): Record<string, () => unknown> {
  const parse = () =>
    parsePayload(bytes, 'ndjson', { primaryKey: 'id', checks: [], progress: new BatchProgress() });
  const parsed = parse();
  const batch = {
    operations: [
      {
        taskUid: 0,
        kind: 'upsert',
        method: 'replace',
        payload: bytes,
        payloadBytes: bytes.length,
        format: 'ndjson',
        primaryKey: null,
        skipCreation: false,
        wereStored: false,
      },
    ] as const,
    parsed: [parsed],
    primaryKey: null,
    segments: [],
    hasEmbedders: false,
    select: () => [] as const,
    reparse: () => parsed,
  };
  const { writes } = resolveBatch(batch);
  return {
    'scan and count (front)': () => checkPayload(bytes, { format: 'ndjson', csvDelimiter: ',' }),
    'parse: scan, ids, fields': parse,
    'resolve: states, DocIds': () => resolveBatch(batch),
    'scan and flatten, no analysis': () => flattenAll(bytes, true),
    'scan, flatten and analyse': () => flattenAll(bytes, false),
    'write: all of it to a segment': () => build(bytes, writes),
  };
}

function flattenAll(bytes: Uint8Array, withoutAnalysis: boolean): number {
  const builder = new NullBuilder();
  const none = {
    ...analyzer,
    indexWords: () => -1,
    tokenize: () => [],
    tokenizeForDisplay: () => new DisplayTokens(),
    normalizeWhole: () => '',
  } as unknown as Analyzer;
  const flattener = new FieldFlattener(withoutAnalysis ? none : analyzer, settings, builder);
  const reader = new PayloadReader(bytes, 'ndjson');
  while (reader.next()) flattener.addDocument(reader.tape);
  return builder.words;
}

function build(bytes: Uint8Array, writes: DocumentWrites): number {
  const assembler = new SegmentAssembler({
    directory: new MemoryDirectory(),
    analyzer: () => analyzer,
    settings,
    idPrefix: 'bench',
    rawBytesMax: 32 * 1024 ** 2,
    memoryBytesMax: 1024 ** 3,
  });
  const noSegment = (): never => {
    throw new Error('there is no stored document');
  };
  new FinalDocuments().feed(
    writes,
    { payloads: { bytes: () => bytes, trim: () => undefined }, segment: noSegment, embedders: [] },
    assembler,
    new BatchProgress(),
  );
  return assembler.finish().reduce((sum, entry) => sum + fileBytesOf(entry), 0);
}

function report(file: string): void {
  const raw = readFileSync(file);
  const bytes = file.endsWith('.gz') ? gunzipSync(raw) : raw;
  const documents = checkPayload(bytes, { format: 'ndjson', csvDelimiter: ',' }).documentCount;
  process.stdout.write(`${file}: ${documents} documents, ${(bytes.length / 1e6).toFixed(1)} MB\n`);
  for (const [name, run] of Object.entries(stages(bytes))) {
    let bestMs = Number.POSITIVE_INFINITY;
    let result: unknown;
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now();
      result = run();
      bestMs = Math.min(bestMs, performance.now() - start);
    }
    const rate = `${Math.round((documents / bestMs) * 1000)} docs/s, ${(bytes.length / 1e3 / bestMs).toFixed(1)} MB/s`;
    const note = typeof result === 'number' ? ` (${result})` : '';
    process.stdout.write(
      `  ${name.padEnd(32)} ${bestMs.toFixed(0).padStart(6)} ms  ${rate}${note}\n`,
    );
  }
}

analyzer.indexWords(new Uint8Array(0), 0, 0, 0, null, silent);
new SegmentBuilder('warm-up').finish();
for (const file of process.argv.slice(2)) report(file);
