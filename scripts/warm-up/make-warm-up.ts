/**
 * Last step of the build: writes the synthetic library as an index, and searches of it, to
 * dist/warm-up (`workers/front-warm-up.ts` replays them).
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WARM_UP_INDEX, WARM_UP_REQUESTS } from '../../src/runtime/built-indexes.ts';
import { writeBuiltIndex } from '../lib/write-built-index.ts';
import { librarySettings, madeLibrary } from './made-library.ts';
import { madeRequests } from './made-requests.ts';

/** Replaces the contents of `folder`. */
export function makeWarmUp(folder: string): void {
  const library = madeLibrary();
  writeBuiltIndex(folder, { ...WARM_UP_INDEX, settings: librarySettings, documents: library });
  writeFileSync(
    join(folder, WARM_UP_REQUESTS),
    JSON.stringify(madeRequests(library, WARM_UP_INDEX.uid)),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  makeWarmUp(fileURLToPath(new URL('../../warm-up', import.meta.url)));
