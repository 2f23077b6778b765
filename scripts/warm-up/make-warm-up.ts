/**
 * Last step of the build: writes the synthetic library as an index, and searches of it, to
 * dist/warm-up (`workers/front-warm-up.ts` replays them).
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAnalyzer } from '../../src/engine/analysis/analyzer.ts';
import { JsonTape } from '../../src/engine/json/json-tape.ts';
import { SegmentAssembler } from '../../src/indexing/files/segment-assembler.ts';
import type { IndexManifest } from '../../src/model/index-manifest.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../src/model/settings.ts';
import { WARM_UP_FILES, WARM_UP_INDEX } from '../../src/runtime/warm-up-files.ts';
import { DocumentEntries } from '../../src/segments/contract/document-entries.ts';
import { FsDirectory } from '../../src/storage/files/fs-directory.ts';
import { librarySettings, madeLibrary } from './made-library.ts';
import { madeRequests } from './made-requests.ts';

const utf8 = new TextEncoder();

/** Replaces the contents of `folder`. */
export function makeWarmUp(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const settings: Settings = { ...DEFAULT_SETTINGS, ...librarySettings };
  const library = madeLibrary();
  const assembler = new SegmentAssembler({
    directory: new FsDirectory(folder),
    analyzer: () => createAnalyzer(settings),
    settings,
    idPrefix: 'library',
    rawBytesMax: Number.POSITIVE_INFINITY,
    memoryBytesMax: Number.POSITIVE_INFINITY,
  });
  const tape = new JsonTape();
  const entries = new DocumentEntries();
  for (const book of library) {
    const json = utf8.encode(JSON.stringify(book));
    tape.scan(json, 0, json.length);
    assembler.add(book.id, utf8.encode(String(book.id)), tape, entries.begin(tape));
  }
  const date = '2026-01-01T00:00:00Z';
  const manifest: IndexManifest = {
    uid: WARM_UP_INDEX.uid,
    id: WARM_UP_INDEX.id,
    generation: 1,
    createdAt: date,
    updatedAt: date,
    primaryKey: 'id',
    settings,
    segments: assembler.finish(),
    arrivals: [],
    metPaths: [],
  };
  writeFileSync(join(folder, WARM_UP_FILES.manifest), JSON.stringify(manifest));
  writeFileSync(
    join(folder, WARM_UP_FILES.requests),
    JSON.stringify(madeRequests(library, WARM_UP_INDEX.uid)),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  makeWarmUp(fileURLToPath(new URL('../../warm-up', import.meta.url)));
