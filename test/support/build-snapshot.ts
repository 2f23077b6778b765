/**
 * Documents and settings → an open snapshot in memory, through the real analysis, flattening and
 * segment code.
 */
import { newManifest } from '../../src/catalog/manifest.ts';
import { concatBytes } from '../../src/core/concat-bytes.ts';
import { createAnalyzer } from '../../src/engine/analysis/analyzer.ts';
import { ColumnsFileBuilder } from '../../src/engine/columns/columns-file-builder.ts';
import { ColumnsReader } from '../../src/engine/columns/columns-reader.ts';
import { JsonTape } from '../../src/engine/json/json-tape.ts';
import { docIdWords } from '../../src/engine/segment/live-documents.ts';
import { SegmentReader } from '../../src/engine/segment/segment-reader.ts';
import { SEGMENT_LIMITS, type SegmentLimits } from '../../src/engine/segment/segment-writer.ts';
import { setBit } from '../../src/engine/sets/bitset.ts';
import { vectorSpace } from '../../src/engine/vectors/vector-space.ts';
import { VectorsFile } from '../../src/engine/vectors/vectors-reader.ts';
import { VectorsWriter } from '../../src/engine/vectors/vectors-writer.ts';
import type { IndexManifest } from '../../src/model/index-manifest.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../src/model/settings.ts';
import { createSnapshot, type OpenSegment } from '../../src/search/snapshot/create-snapshot.ts';
import type { IndexSnapshot } from '../../src/search/snapshot/index-snapshot.ts';
import { columnPatterns, columnRules } from '../../src/segments/columns/column-coverage.ts';
import { DocumentEntries } from '../../src/segments/contract/document-entries.ts';
import { FieldFlattener } from '../../src/segments/documents/field-flattener.ts';
import { SegmentFileBuilder } from './segment-file.ts';

export type SourceDocument = Readonly<Record<string, unknown>>;

export interface SnapshotSource {
  readonly documents: readonly SourceDocument[];
  readonly settings?: Partial<Settings> | undefined;
  readonly primaryKey?: string | undefined;
  /** Splits the documents into this many segments, dealt in runs. */
  readonly segmentCount?: number;
  readonly digests?: SegmentLimits;
}

const utf8 = new TextEncoder();

/** DocIds are the documents' places in the list. */
export function buildSnapshot({
  documents,
  settings,
  primaryKey,
  segmentCount = 1,
  digests = SEGMENT_LIMITS,
}: SnapshotSource): IndexSnapshot {
  const size = Math.max(1, Math.ceil(documents.length / segmentCount));
  const placed = documents.map((document, docId) => ({ docId, document, isDead: false }));
  const segments: PlacedDocument[][] = [];
  for (let from = 0; from < placed.length; from += size)
    segments.push(placed.slice(from, from + size));
  return buildPlacedSnapshot({ segments, settings, primaryKey, digests });
}

/** One copy of a document in a segment; dead copies are tombstoned. */
export interface PlacedDocument {
  readonly docId: number;
  readonly document: SourceDocument;
  readonly isDead: boolean;
}

export interface PlacedSource {
  /** Each segment's copies, by ascending DocId. */
  readonly segments: readonly (readonly PlacedDocument[])[];
  readonly settings?: Partial<Settings> | undefined;
  readonly primaryKey?: string | undefined;
  readonly digests?: SegmentLimits;
}

/** A snapshot whose segments hold exactly these copies. */
export function buildPlacedSnapshot({
  segments,
  settings = {},
  primaryKey = 'id',
  digests = SEGMENT_LIMITS,
}: PlacedSource): IndexSnapshot {
  const whole: Settings = { ...DEFAULT_SETTINGS, ...settings };
  const readers = segments.map((copies, i) =>
    buildSegment(`s${i}`, copies, whole, primaryKey, digests),
  );
  const words = docIdWords(readers);
  const open: OpenSegment[] = readers.map((reader, i) => {
    const copies = segments[i] ?? [];
    return {
      reader,
      dead: tombstones(copies, words),
      columns: buildColumns(`s${i}`, copies, whole),
      vectors: buildVectors(`s${i}`, copies, whole),
    };
  });
  return createSnapshot(manifestOf(whole, primaryKey), open);
}

function tombstones(copies: readonly PlacedDocument[], words: number): Uint32Array | null {
  if (!copies.some((copy) => copy.isDead)) return null;
  const dead = new Uint32Array(words);
  for (const { docId, isDead } of copies) if (isDead) setBit(dead, docId);
  return dead;
}

function buildSegment(
  id: string,
  copies: readonly PlacedDocument[],
  settings: Settings,
  primaryKey: string,
  digests: SegmentLimits,
): SegmentReader {
  const builder = new SegmentFileBuilder(id, digests);
  const flattener = new FieldFlattener(createAnalyzer(settings), settings, builder);
  const tape = new JsonTape();
  for (const { docId, document } of copies) {
    const json = utf8.encode(JSON.stringify(document));
    tape.scan(json, 0, json.length);
    builder.beginDocument(docId);
    const names = flattener.addDocument(tape);
    builder.endDocument(utf8.encode(String(document[primaryKey])), json, names);
  }
  return new SegmentReader(id, concatBytes(builder.finish()));
}

/** One file for all that the settings need, none when they need nothing. */
function buildColumns(
  id: string,
  copies: readonly PlacedDocument[],
  settings: Settings,
): ColumnsReader[] {
  const patterns = columnPatterns(settings);
  if (patterns.length === 0) return [];
  const builder = new ColumnsFileBuilder(columnRules(patterns));
  const tape = new JsonTape();
  for (const { docId, document } of copies) {
    const json = utf8.encode(JSON.stringify(document));
    tape.scan(json, 0, json.length);
    builder.addDocument(docId, tape);
  }
  return [new ColumnsReader(id, concatBytes(builder.finish()))];
}

/** The vectors that documents give for embedders. */
function buildVectors(
  id: string,
  copies: readonly PlacedDocument[],
  { embedders }: Settings,
): Map<string, VectorsFile> {
  const readers = new Map<string, VectorsFile>();
  const tape = new JsonTape();
  const entries = new DocumentEntries();
  for (const [name, embedder] of Object.entries(embedders)) {
    const { dimensions, binaryQuantized = false } = embedder as {
      readonly dimensions: number;
      readonly binaryQuantized?: boolean;
    };
    const writer = new VectorsWriter(
      vectorSpace({ dimensions, metric: 'cosine', binaryQuantized }),
    );
    for (const { docId, document } of copies) {
      const json = utf8.encode(JSON.stringify(document));
      tape.scan(json, 0, json.length);
      const vectors = entries.begin(tape).get({ name, dimensions })?.vectors ?? [];
      if (vectors.length > 0) writer.add(docId, vectors);
    }
    readers.set(name, new VectorsFile(id, concatBytes(writer.finish())));
  }
  return readers;
}

function manifestOf(settings: Settings, primaryKey: string): IndexManifest {
  return { ...newManifest('test', 1, primaryKey, '2026-01-01T00:00:00Z'), settings };
}
