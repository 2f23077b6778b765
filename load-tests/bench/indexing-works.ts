/** Kinds of work that fill the memory of an indexer, each in its own way. */
import { type Corpus, renamed } from './corpus.ts';
import { madeVectors } from './made-vectors.ts';
import type { BenchServer } from './server.ts';
import { importCorpus, NDJSON, uploadsOf } from './uploads.ts';

/** Answers how many documents were written, when all tasks are done. */
export type IndexingWork = (server: BenchServer, corpus: Corpus, upload: number) => Promise<number>;

const INDEX = 'bench';
const INDEXES = 20;
const VECTORS = 50_000;
const VECTORS_AN_UPLOAD = 5000;
const DIMENSIONS = 384;
/** Lengths of texts, and how many documents have them. */
const SIZES = [
  [5_000_000, 20],
  [500_000, 100],
  [50_000, 1000],
  [500, 50_000],
] as const;
const SIZED_UPLOAD_BYTES = 30_000_000;

async function whole(server: BenchServer, corpus: Corpus, upload: number): Promise<number> {
  await importCorpus(server, INDEX, corpus, upload);
  return corpus.lines.length * corpus.repeat;
}

/** Changes the tokenization of all documents. */
async function reindexed(server: BenchServer, corpus: Corpus, upload: number): Promise<number> {
  const documents = await whole(server, corpus, upload);
  await server.settle('PATCH', `/indexes/${INDEX}/settings`, { stopWords: ['the', 'of', 'a'] });
  await server.settle('PATCH', `/indexes/${INDEX}/settings`, {
    filterableAttributes: ['*'],
  });
  return documents * 3;
}

/** Each upload goes to another index than the one before. */
async function manyIndexes(server: BenchServer, corpus: Corpus, upload: number): Promise<number> {
  let turn = 0;
  for (const body of uploadsOf(corpus, upload)) {
    const path = `/indexes/${INDEX}-${turn++ % INDEXES}/documents?primaryKey=id`;
    await server.enqueue('POST', path, body, NDJSON);
  }
  await server.untilIdle();
  return corpus.lines.length * corpus.repeat;
}

/** Of very different sizes, the long ones among the short ones. */
async function mixedSizes(server: BenchServer, corpus: Corpus): Promise<number> {
  const text = corpus.lines.map((line) => line.replace(/[^A-Za-z ]+/g, ' ')).join(' ');
  const lengths = SIZES.flatMap(([length, count]) => new Array<number>(count).fill(length));
  let part: string[] = [];
  let bytes = 0;
  const send = async () => {
    const path = `/indexes/${INDEX}/documents?primaryKey=id`;
    await server.enqueue('POST', path, Buffer.from(part.join('\n')), NDJSON);
    part = [];
    bytes = 0;
  };
  for (const [id] of lengths.entries()) {
    const length = lengths[(id * 7919) % lengths.length] as number;
    const start = (id * 104_729) % Math.max(1, text.length - length);
    part.push(JSON.stringify({ id, text: text.slice(start, start + length) }));
    bytes += length;
    if (bytes >= SIZED_UPLOAD_BYTES) await send();
  }
  await send();
  await server.untilIdle();
  return lengths.length;
}

/** With vectors that the user gives. */
async function withVectors(server: BenchServer, corpus: Corpus): Promise<number> {
  await server.settle('PATCH', `/indexes/${INDEX}/settings`, {
    embedders: { given: { source: 'userProvided', dimensions: DIMENSIONS } },
  });
  const next = madeVectors(DIMENSIONS);
  for (let at = 0; at < VECTORS; at += VECTORS_AN_UPLOAD) {
    const part = Array.from({ length: VECTORS_AN_UPLOAD }, (_, i) => {
      const line = renamed(corpus.lines[(at + i) % corpus.lines.length] as string, 0);
      const given = JSON.stringify([...next()].map((value) => Number(value.toFixed(5))));
      return line.replace(/\}\s*$/, `,"_vectors":{"given":${given}}}`);
    });
    const path = `/indexes/${INDEX}/documents?primaryKey=id`;
    await server.enqueue('POST', path, Buffer.from(part.join('\n')), NDJSON);
  }
  await server.untilIdle();
  return VECTORS;
}

export const INDEXING_WORKS: Readonly<Record<string, IndexingWork>> = {
  whole,
  reindexed,
  manyIndexes,
  mixedSizes,
  withVectors,
};
