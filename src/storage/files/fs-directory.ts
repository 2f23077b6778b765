/**
 * Directory over a folder of the file system. A file is written under a temporary name, synced and
 * renamed, then the folder is synced: after a crash a name has all its bytes or does not exist.
 * Temporary files that a crash leaves are removed at start (`index-files.ts`).
 */
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writevSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Directory, MappedFile, NewFile } from '../../engine/segment/directory.ts';
import { mapFile } from './file-mapping.ts';
import { syncFolderBlocking } from './sync-folder.ts';

const TEMPORARY_SUFFIX = '.tmp';
/** Most buffers of one writev call. */
const PARTS_MAX = 512;
/** Node counts the bytes written by one call in a signed 32-bit number. */
const CALL_BYTES_MAX = 1 << 30;

export class FsDirectory implements Directory {
  readonly path: string;

  /**
   * The caller that writes creates the folder (`index-files.ts`); here every operation on a missing
   * folder fails.
   */
  constructor(path: string) {
    this.path = path;
  }

  create(name: string, parts: readonly Uint8Array[]): void {
    this.createMany([{ name, parts }]);
  }

  /** Writes several files with one sync of the folder. If one fails, all are removed. */
  createMany(files: readonly NewFile[]): void {
    for (const { name } of files) {
      if (existsSync(join(this.path, name)))
        throw new Error(`file ${join(this.path, name)} exists`);
    }
    const temporaryPaths = files.map(({ name }) => join(this.path, name + TEMPORARY_SUFFIX));
    try {
      for (const [index, { parts }] of files.entries())
        writeSynced(temporaryPaths[index] as string, parts);
      for (const [index, { name }] of files.entries())
        renameSync(temporaryPaths[index] as string, join(this.path, name));
    } catch (error) {
      for (const path of temporaryPaths) rmSync(path, { force: true });
      for (const { name } of files) this.remove(name);
      throw error;
    }
    syncFolderBlocking(this.path);
  }

  open(name: string): MappedFile {
    const { bytes, close } = mapFile(join(this.path, name));
    return { name, bytes, close };
  }

  list(): string[] {
    return readdirSync(this.path)
      .filter((name) => !name.endsWith(TEMPORARY_SUFFIX))
      .sort();
  }

  remove(name: string): void {
    rmSync(join(this.path, name), { force: true });
  }
}

export const openFolder = (path: string): Directory => new FsDirectory(path);

function writeSynced(path: string, parts: readonly Uint8Array[]): void {
  const descriptor = openSync(path, 'w');
  try {
    for (let i = 0; i < parts.length; i += PARTS_MAX)
      writeAll(descriptor, parts.slice(i, i + PARTS_MAX));
    fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function writeAll(descriptor: number, parts: readonly Uint8Array[]): void {
  let left = parts.filter((part) => part.length > 0);
  while (left.length > 0) {
    let written = writevSync(descriptor, firstBytes(left, CALL_BYTES_MAX));
    let done = 0;
    while (done < left.length && written >= (left[done] as Uint8Array).length)
      written -= (left[done++] as Uint8Array).length;
    left = left.slice(done);
    if (written > 0) left[0] = (left[0] as Uint8Array).subarray(written);
  }
}

/** The first parts up to `bytesMax` bytes; the last part is cut. */
export function firstBytes(parts: readonly Uint8Array[], bytesMax: number): Uint8Array[] {
  const taken: Uint8Array[] = [];
  let room = bytesMax;
  for (let i = 0; i < parts.length && room > 0; i++) {
    const part = (parts[i] as Uint8Array).subarray(0, room);
    taken.push(part);
    room -= part.length;
  }
  return taken;
}
