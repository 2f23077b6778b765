/**
 * Copies an instance between data folders and object stores. The source is only read. The target
 * becomes usable when its files were read back and its database has the same entries as the source.
 */
import { createHash } from 'node:crypto';
import { counted } from '../../core/counted.ts';
import { BulkWrites } from '../../storage/database/bulk-writes.ts';
import { type Entry, type KeyValueStore, put } from '../../storage/database/key-value-store.ts';
import { encodeRows } from '../../storage/database/rows-file.ts';
import { DamagedObject, type StoredObject } from '../../storage/object-store/sealed-objects.ts';
import { CopyFailed, type CopySource, namedFiles } from './copy-source.ts';
import type { CopyTarget } from './copy-target.ts';

export interface CopyReport {
  readonly files: number;
  /** Bytes of the files. */
  readonly bytes: number;
  /** Entries of the database. */
  readonly entries: number;
  /** SHA-256 of the entries. */
  readonly entriesSha256: string;
}

/**
 * @throws CopyFailed. If the source is damaged, the target is as it was before; after another failure a
 * store keeps what was copied, for the next attempt.
 */
export async function copyInstance(
  source: CopySource,
  target: CopyTarget,
  onProgress: (line: string) => void,
): Promise<CopyReport> {
  try {
    return await copyAll(source, target, onProgress);
  } catch (error) {
    if (!(error instanceof DamagedObject)) throw error;
    await target.abandon();
    throw CopyFailed.ofDamaged(source.name, error.message);
  }
}

async function copyAll(
  source: CopySource,
  target: CopyTarget,
  onProgress: (line: string) => void,
): Promise<CopyReport> {
  const { files } = source;
  let copied = 0;
  await target.takeFiles(source, () => onProgress(`${++copied} of ${files.length} files`));
  const database = await target.openDatabase();
  let sums: RowSums;
  try {
    sums = await copyRows(source.rows(), database, onProgress);
    checkCopy(sums, await rowSums(database.iterate({})), files, await namedFiles(database));
  } finally {
    await database.close();
  }
  await source.confirm();
  await target.finish();
  return {
    files: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    entries: sums.count,
    entriesSha256: sums.sha256,
  };
}

interface RowSums {
  readonly count: number;
  readonly sha256: string;
}

async function copyRows(
  entries: AsyncIterable<Entry>,
  database: KeyValueStore,
  onProgress: (line: string) => void,
): Promise<RowSums> {
  const writes = new BulkWrites(database);
  const written = async function* (): AsyncGenerator<Entry> {
    for await (const entry of entries) {
      await writes.add(put(entry.key, entry.value));
      yield entry;
    }
    await writes.end();
  };
  return rowSums(written(), (count) => onProgress(`${count} entries of the database`));
}

async function rowSums(
  entries: AsyncIterable<Entry>,
  onCount: (count: number) => void = () => undefined,
): Promise<RowSums> {
  const hash = createHash('sha256');
  let count = 0;
  for await (const chunk of encodeRows(entries, () => count++)) {
    hash.update(chunk);
    onCount(count);
  }
  return { count, sha256: hash.digest('hex') };
}

/** @throws CopyFailed if the database lacks entries, or names other files than were copied */
export function checkCopy(
  source: RowSums,
  copy: RowSums,
  copied: readonly StoredObject[],
  named: readonly StoredObject[],
): void {
  if (copy.count !== source.count || copy.sha256 !== source.sha256)
    throw new CopyFailed(
      `the copy has ${copy.count} entries with SHA-256 ${copy.sha256}, the source ${source.count} with ${source.sha256}`,
    );
  const lengths = new Map(copied.map(({ key, bytes }) => [key, bytes]));
  const missing = named.filter(({ key, bytes }) => lengths.get(key) !== bytes);
  if (missing.length > 0)
    throw new CopyFailed(
      `${counted(missing.length, 'file')} that the database names are not in the copy, such as ${missing[0]?.key}`,
    );
}
