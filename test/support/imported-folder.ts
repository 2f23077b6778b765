/** Data folders made of archives in this process, and services opened on them. */
import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import tar from 'tar-stream';
import { inProcessPool, noEmbedder } from '../../load-tests/bench/in-process-pool.ts';
import { type BeginOptions, beginWith } from '../../src/dumps/read/begin-with.ts';
import { DEFAULT_UNPACK_LIMITS, unpackArchive } from '../../src/storage/backups/archive.ts';
import { temporaryFolder } from './indexer-harness.ts';

export interface Imported {
  readonly dbPath: string;
  readonly logged: readonly string[];
}

/** Imports a backup; what it says goes to `logged`. @param dbPath default: a fresh one */
export async function importedFolder(
  file: string,
  dbPath = path.join(temporaryFolder(), 'data.ms'),
  kind: 'dump' | 'snapshot' = 'dump',
  embedding: Partial<Pick<BeginOptions, 'embedderOf' | 'failures' | 'closeEmbeddings'>> = {},
): Promise<Imported> {
  const logged: string[] = [];
  const write = (fields: object | string, message = String(fields)) => void logged.push(message);
  await beginWith({
    dbPath,
    source: { kind, file },
    limits: DEFAULT_UNPACK_LIMITS,
    mayUpgrade: false,
    release: '0.1.0',
    pool: inProcessPool(),
    embedderOf: noEmbedder,
    closeEmbeddings: () => Promise.resolve(),
    memoryBudgetBytes: 64 << 20,
    log: { info: write, warn: write },
    ...embedding,
  });
  return { dbPath, logged };
}

type Members = Readonly<Record<string, unknown>>;

/** Text as it is, a list as lines of JSON, anything else as JSON. */
const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map((line) => `${JSON.stringify(line)}\n`).join('')
      : JSON.stringify(content);

/** The files of an archive as text. */
export async function filesOf(archive: string): Promise<ReadonlyMap<string, string>> {
  const target = temporaryFolder();
  const all = {
    wants: () => true,
    limits: DEFAULT_UNPACK_LIMITS,
    isSynced: false,
    onBytes: () => undefined,
  };
  const files = await unpackArchive(archive, target, all);
  return new Map(files.map(({ name }) => [name, fs.readFileSync(path.join(target, name), 'utf8')]));
}

/** A compressed archive with these files. */
export async function archiveOf(members: Members): Promise<string> {
  const archive = tar.pack();
  for (const [name, content] of Object.entries(members)) archive.entry({ name }, textOf(content));
  archive.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive) chunks.push(chunk as Uint8Array);
  const file = path.join(temporaryFolder(), 'made.dump');
  fs.writeFileSync(file, gzipSync(Buffer.concat(chunks)));
  return file;
}
