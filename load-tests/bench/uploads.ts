/** Documents on their way into an index: as uploads of NDJSON, until their tasks are done. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Corpus, renamed } from './corpus.ts';
import type { BenchServer } from './server.ts';

export const NDJSON = 'application/x-ndjson';
const DOCUMENTS_AN_UPLOAD = 20_000;
const LOOK_MS = 500;
/** Background merges begin ten seconds after the last batch at the latest. */
const SETTLED_MS = 12_000;

/** In uploads of at most `documentsAnUpload` documents, each until its task is done. */
export async function uploadLines(
  server: BenchServer,
  index: string,
  lines: readonly string[],
  documentsAnUpload = lines.length,
): Promise<void> {
  const path = `/indexes/${index}/documents?primaryKey=id`;
  for (let at = 0; at < lines.length; at += documentsAnUpload) {
    const part = lines.slice(at, at + documentsAnUpload);
    await server.settle('POST', path, Buffer.from(part.join('\n')), NDJSON);
  }
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

/** Resolves when the index files have kept their size for `SETTLED_MS`: merges are over then. */
export async function untilMerged(
  server: BenchServer,
  mostMs = Number.POSITIVE_INFINITY,
): Promise<number> {
  const startMs = performance.now();
  let bytes = server.indexBytes();
  let changedMs = startMs;
  while (performance.now() - changedMs < SETTLED_MS && performance.now() - startMs < mostMs) {
    await sleep(LOOK_MS);
    const now = server.indexBytes();
    if (now !== bytes) changedMs = performance.now();
    bytes = now;
  }
  return bytes;
}
