/**
 * Objects as files of a directory, for tests and for a machine without S3. An object is written
 * under a temporary name in `.uploads`, synced, and gets its key by `rename` or, if it must be new,
 * by a hard link. Both are one step of the file system.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { errnoOf, nullIfMissing } from '../files/io-errors.ts';
import { syncFolder } from '../files/sync-folder.ts';
import { writeSynced } from '../files/write-synced.ts';
import {
  type ByteRange,
  bodyChunks,
  checkKey,
  isKey,
  type ListedObject,
  type ListOptions,
  type ObjectBody,
  type ObjectStore,
  ObjectStoreError,
} from './object-store.ts';

const UPLOADS = '.uploads';
/** Age at which an upload without a writer is removed. */
const OLD_UPLOAD_MS = 86_400_000;

export class DirectoryStore implements ObjectStore {
  readonly #root: string;
  readonly #uploads: string;

  private constructor(root: string) {
    this.#root = root;
    this.#uploads = path.join(root, UPLOADS);
  }

  /** Creates the directory when missing, and removes what writers that died left a day ago. */
  static open(root: string, nowMs: number): DirectoryStore {
    const store = new DirectoryStore(path.resolve(root));
    try {
      fs.mkdirSync(store.#uploads, { recursive: true });
    } catch (error) {
      throw new ObjectStoreError(`the folder ${store.#root} cannot be created (${errnoOf(error)})`);
    }
    store.#removeOldUploads(nowMs);
    return store;
  }

  async get(key: string, range?: ByteRange): Promise<Uint8Array | null> {
    const file = await opened(this.#pathOf(key));
    if (file === null) return null;
    try {
      const { size } = await file.stat();
      const start = Math.min(range?.start ?? 0, size);
      const bytes = new Uint8Array(Math.max(0, Math.min(range?.end ?? size, size) - start));
      let at = 0;
      while (at < bytes.length) {
        const { bytesRead } = await file.read(bytes, at, bytes.length - at, start + at);
        if (bytesRead === 0) throw new ObjectStoreError(`get ${key}: the file ended early`);
        at += bytesRead;
      }
      return bytes;
    } finally {
      await file.close();
    }
  }

  async put(key: string, body: ObjectBody): Promise<void> {
    await this.#upload(key, body, async (upload, target) => {
      await fs.promises.rename(upload, target);
      return true;
    });
  }

  async create(key: string, body: ObjectBody): Promise<boolean> {
    return this.#upload(key, body, async (upload, target) => {
      try {
        await fs.promises.link(upload, target);
        return true;
      } catch (error) {
        if (errnoOf(error) === 'EEXIST') return false;
        throw error;
      } finally {
        await fs.promises.rm(upload, { force: true });
      }
    });
  }

  async *list(prefix: string, { after = '' }: ListOptions = {}): AsyncGenerator<ListedObject> {
    for (const key of (await this.#keys()).sort(byBytes)) {
      if (!key.startsWith(prefix) || byBytes(key, after) <= 0) continue;
      const found = fs.statSync(this.#pathOf(key), { throwIfNoEntry: false });
      if (found !== undefined) yield { key, bytes: found.size };
    }
  }

  async delete(key: string): Promise<void> {
    const target = this.#pathOf(key);
    if (!fs.existsSync(target)) return;
    await fs.promises.rm(target, { force: true });
    await syncFolder(path.dirname(target));
  }

  close(): void {
    // No connections.
  }

  #pathOf(key: string): string {
    return path.join(this.#root, checkKey(key));
  }

  async #upload(
    key: string,
    body: ObjectBody,
    publish: (upload: string, target: string) => Promise<boolean>,
  ): Promise<boolean> {
    const target = this.#pathOf(key);
    const upload = path.join(this.#uploads, randomUUID());
    try {
      await writeSynced(upload, bodyChunks(body));
      await makeFolder(path.dirname(target));
      const isPublished = await publish(upload, target);
      await syncFolder(path.dirname(target));
      return isPublished;
    } catch (error) {
      await fs.promises.rm(upload, { force: true });
      throw error;
    }
  }

  /** Without files that have no key, as `….sst#1`: what SlateDB has not finished, also of a killed process. */
  async #keys(): Promise<string[]> {
    const entries = await fs.promises.readdir(this.#root, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && entry.parentPath !== this.#uploads)
      .map(({ parentPath, name }) => path.relative(this.#root, path.join(parentPath, name)))
      .map((name) => name.split(path.sep).join('/'))
      .filter(isKey);
  }

  #removeOldUploads(nowMs: number): void {
    for (const name of fs.readdirSync(this.#uploads)) {
      const upload = path.join(this.#uploads, name);
      const writtenMs = fs.statSync(upload, { throwIfNoEntry: false })?.mtimeMs ?? nowMs;
      if (nowMs - writtenMs > OLD_UPLOAD_MS) fs.rmSync(upload, { force: true });
    }
  }
}

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const opened = (file: string): Promise<fs.promises.FileHandle | null> =>
  fs.promises.open(file, 'r').catch(nullIfMissing);

/** Creates the folder and syncs its parents, so that it survives a power cut. */
async function makeFolder(folder: string): Promise<void> {
  const first = await fs.promises.mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = path.dirname(made))
    await syncFolder(path.dirname(made));
}
