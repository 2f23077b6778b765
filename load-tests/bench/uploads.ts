/** Documents on their way into an index: as uploads of NDJSON, until their tasks are done. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Corpus, renamed } from './corpus.ts';
import type { BenchServer } from './server.ts';

export const NDJSON = 'application/x-ndjson';
const DOCUMENTS_AN_UPLOAD = 20_000;
const LOOK_MS = 500;

/** One upload, until its task is done. */
export async function uploadLines(
  server: BenchServer,
  index: string,
  lines: readonly string[],
): Promise<void> {
  const path = `/indexes/${index}/documents?primaryKey=id`;
  await server.settle('POST', path, Buffer.from(lines.join('\n')), NDJSON);
}

export function* uploadsOf(
  { lines, repeat }: Corpus,
  documentsAnUpload = DOCUMENTS_AN_UPLOAD,
): Generator<Buffer> {
  for (let repetition = 0; repetition < repeat; repetition++)
    for (let at = 0; at < lines.length; at += documentsAnUpload) {
      const part = lines.slice(at, at + documentsAnUpload);
      yield Buffer.from(part.map((line) => renamed(line, repetition)).join('\n'));
    }
}

/** Into a new index; the seconds from the first document to the last one's task. */
export async function importCorpus(
  server: BenchServer,
  index: string,
  corpus: Corpus,
  documentsAnUpload = DOCUMENTS_AN_UPLOAD,
): Promise<number> {
  await server.settle('POST', '/indexes', { uid: index, primaryKey: 'id' });
  await server.settle('PATCH', `/indexes/${index}/settings`, corpus.settings);
  const startMs = performance.now();
  const tasks: number[] = [];
  for (const upload of uploadsOf(corpus, documentsAnUpload))
    tasks.push(await server.enqueue('POST', `/indexes/${index}/documents`, upload, NDJSON));
  await server.settled(tasks.at(-1) ?? -1);
  const seconds = (performance.now() - startMs) / 1000;
  await server.untilIdle();
  return seconds;
}

/**
 * Resolves when no index file has changed for this time: merges are over then.
 * @returns their sizes
 */
export async function untilMerged(
  server: BenchServer,
  settledMs: number,
  mostMs = Number.POSITIVE_INFINITY,
): Promise<number> {
  const startMs = performance.now();
  let bytes = server.indexBytes();
  let changedMs = startMs;
  while (performance.now() - changedMs < settledMs && performance.now() - startMs < mostMs) {
    await sleep(LOOK_MS);
    const now = server.indexBytes();
    if (now !== bytes) changedMs = performance.now();
    bytes = now;
  }
  return bytes;
}
