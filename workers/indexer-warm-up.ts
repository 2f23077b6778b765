/**
 * Part of an indexer: its warm-up, small batches of made documents through the indexing threads,
 * into files in memory.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DocumentOperation } from '../src/indexing/batch/document-operations.ts';
import { IndexWriter } from '../src/indexing/index-writer.ts';
import type { IndexingPool } from '../src/ipc/threads/indexing-pool.ts';
import type { IndexManifest } from '../src/model/index-manifest.ts';
import { warmUp } from '../src/runtime/warm-up.ts';
import { WARM_UP_FILES, WARM_UP_INDEX } from '../src/runtime/warm-up-files.ts';
import { readWarmUpFile } from './warm-up-process.ts';

const BATCHES = 6;
const BATCH_DOCUMENTS = 100;
/** Each batch is written, then written over so many times as an update. */
const UPDATES = 4;
const MEMORY_BYTES = 64 << 20;

export interface IndexerWarmUp {
  readonly pool: Pick<IndexingPool, 'run' | 'threads'>;
  /** With the files of `warm-up-files.ts`. */
  readonly folder: URL;
  /** Cores that nothing but this process uses; 0 while there is real work. */
  readonly freeCores: () => number;
  /** Tasks since the start. */
  readonly taskCount: () => number;
}

type Batch = Pick<DocumentOperation & { kind: 'upsert' }, 'method'> & { readonly text: string };

/** null where the sources run without a build. */
function readLibrary(
  folder: URL,
): { readonly manifest: IndexManifest; readonly lines: readonly string[] } | null {
  const manifest = readWarmUpFile(folder, WARM_UP_FILES.manifest);
  const documents = readWarmUpFile(folder, WARM_UP_FILES.documents);
  if (manifest === null || documents === null) return null;
  return {
    manifest: { ...(JSON.parse(manifest) as IndexManifest), segments: [] },
    lines: documents.split('\n'),
  };
}

function batchesOf(lines: readonly string[]): Batch[] {
  const texts = Array.from({ length: BATCHES }, (_, i) =>
    lines.slice(i * BATCH_DOCUMENTS, (i + 1) * BATCH_DOCUMENTS).join('\n'),
  );
  const updates = Array.from({ length: UPDATES }, () => texts).flat();
  return [
    ...texts.map((text): Batch => ({ method: 'replace', text })),
    ...updates.map((text): Batch => ({ method: 'update', text })),
  ];
}

/**
 * Resolves with the number of batches that were written, when they are done or `signal` has
 * aborted.
 */
export async function warmUpIndexer(options: IndexerWarmUp, signal: AbortSignal): Promise<number> {
  const { pool, folder, freeCores, taskCount } = options;
  const library = readLibrary(folder);
  if (library === null) return 0;
  let { manifest } = library;
  const writer = new IndexWriter({
    manifest,
    location: { kind: 'memory', name: WARM_UP_INDEX.uid },
    pool,
    memoryBudgetBytes: MEMORY_BYTES,
    embedderOf: () => {
      throw new Error('the made index has no embedder');
    },
    // The files are in the thread's memory, and nothing that is written fails.
    removeFiles: () => undefined,
  });
  let count = 0;
  const write = async ({ method, text }: Batch): Promise<void> => {
    const payload = new TextEncoder().encode(text);
    const { length: payloadBytes } = payload;
    const upsert = {
      kind: 'upsert',
      format: 'ndjson',
      primaryKey: null,
      skipCreation: false,
    } as const;
    const { segments } = await writer.applyDocuments([
      { ...upsert, taskUid: count++, method, payload, payloadBytes },
    ]);
    manifest = { ...manifest, segments, generation: manifest.generation + 1 };
    writer.committed(manifest);
  };
  await warmUp(
    { steps: batchesOf(library.lines), threads: 1, rounds: 1 },
    {
      run: write,
      freeCores,
      realWorkCount: taskCount,
      sleep: (ms) => sleep(ms, undefined, { ref: false }),
    },
    signal,
  );
  return count;
}
