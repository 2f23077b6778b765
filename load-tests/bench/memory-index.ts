/** An index of generated documents in memory, for measurements of one thread. */
import { newManifest } from '../../src/catalog/manifest.ts';
import { createAnalyzer } from '../../src/engine/analysis/analyzer.ts';
import { JsonTape } from '../../src/engine/json/json-tape.ts';
import { SegmentAssembler } from '../../src/indexing/files/segment-assembler.ts';
import { encodeManifest } from '../../src/model/index-manifest.ts';
import type { Settings } from '../../src/model/settings.ts';
import type { IndexSnapshot } from '../../src/search/snapshot/index-snapshot.ts';
import { SnapshotCache } from '../../src/search/snapshot/snapshot-cache.ts';
import { planFiles } from '../../src/segments/components.ts';
import { DocumentEntries } from '../../src/segments/contract/document-entries.ts';
import { MemoryDirectory } from './memory-directory.ts';

const SEGMENT_BYTES = 64 << 20;
const CACHE_BYTES = 72 << 20;

/** @param documentOf returns the document with this id, which is its member `id` */
export function memoryIndex(
  settings: Settings,
  count: number,
  documentOf: (id: number) => object,
): IndexSnapshot {
  const directory = new MemoryDirectory();
  const analyzer = createAnalyzer(settings);
  const assembler = new SegmentAssembler({
    directory,
    analyzer: () => analyzer,
    settings,
    files: planFiles([], settings).build,
    idPrefix: 'bench',
    rawBytesMax: SEGMENT_BYTES,
    memoryBytesMax: 1024 ** 3,
  });
  const tape = new JsonTape();
  const entries = new DocumentEntries();
  const utf8 = new TextEncoder();
  for (let docId = 0; docId < count; docId++) {
    const json = utf8.encode(JSON.stringify(documentOf(docId)));
    tape.scan(json, 0, json.length);
    assembler.add(docId, utf8.encode(String(docId)), tape, entries.begin(tape));
  }
  const manifest = encodeManifest({
    ...newManifest('bench', 1, 'id', '2026-01-01T00:00:00Z'),
    settings,
    segments: assembler.finish(),
  });
  const shared = new SharedArrayBuffer(manifest.length);
  new Uint8Array(shared).set(manifest);
  const cache = new SnapshotCache(
    () => directory,
    CACHE_BYTES,
    () => performance.now(),
  );
  return cache.get('bench', shared, '');
}
