/** Writes an index of the build, which fronts search and no indexer changes. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newManifest } from '../../src/catalog/manifest.ts';
import { createAnalyzer } from '../../src/engine/analysis/analyzer.ts';
import { JsonTape } from '../../src/engine/json/json-tape.ts';
import { SegmentAssembler } from '../../src/indexing/files/segment-assembler.ts';
import type { IndexManifest } from '../../src/model/index-manifest.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../src/model/settings.ts';
import { BUILT_MANIFEST } from '../../src/runtime/built-indexes.ts';
import { DocumentEntries } from '../../src/segments/contract/document-entries.ts';
import { FsDirectory } from '../../src/storage/files/fs-directory.ts';

export interface BuiltIndex {
  readonly uid: string;
  /** Negative: not an id of a real index. */
  readonly id: number;
  readonly settings: Partial<Settings>;
  readonly documents: readonly { readonly id: number }[];
}

const utf8 = new TextEncoder();

/** Replaces the contents of `folder`. */
export function writeBuiltIndex(folder: string, { uid, id, ...content }: BuiltIndex): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const settings: Settings = { ...DEFAULT_SETTINGS, ...content.settings };
  const assembler = new SegmentAssembler({
    directory: new FsDirectory(folder),
    analyzer: () => createAnalyzer(settings),
    settings,
    idPrefix: uid,
    rawBytesMax: Number.POSITIVE_INFINITY,
    memoryBytesMax: Number.POSITIVE_INFINITY,
  });
  const tape = new JsonTape();
  const entries = new DocumentEntries();
  for (const document of content.documents) {
    const json = utf8.encode(JSON.stringify(document));
    tape.scan(json, 0, json.length);
    assembler.add(document.id, utf8.encode(String(document.id)), tape, entries.begin(tape));
  }
  const manifest: IndexManifest = {
    ...newManifest(uid, id, 'id', '2026-01-01T00:00:00Z'),
    settings,
    segments: assembler.finish(),
  };
  writeFileSync(join(folder, BUILT_MANIFEST), JSON.stringify(manifest));
}
