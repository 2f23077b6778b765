/**
 * Syncs RocksDB's write-ahead log: the library writes the log but has no call to sync it. `sync`
 * runs fdatasync on every log file that may hold unsynced records, including the previous file
 * after a rotation, and on the folder when a file is new. A log file that no longer exists was
 * flushed into a table file, which RocksDB syncs itself.
 */
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { nullIfMissing } from '../files/io-errors.ts';

interface SyncCalls {
  readonly file: (descriptor: number) => Promise<void>;
  readonly folder: (descriptor: number) => Promise<void>;
}

const SYSTEM: SyncCalls = { file: promisify(fs.fdatasync), folder: promisify(fs.fsync) };

export class WalSync {
  readonly #folder: string;
  readonly #calls: SyncCalls;
  readonly #folderFd: number | null;
  /** Log number → file descriptor, for the logs that may still grow or hold unsynced records. */
  readonly #open = new Map<number, number>();
  /** Logs below this number are synced and final. */
  #firstOpen = 0;

  constructor(folder: string, calls = SYSTEM) {
    this.#folder = folder;
    this.#calls = calls;
    this.#folderFd = process.platform === 'win32' ? null : fs.openSync(folder, 'r');
  }

  /** Do not call again before it resolves. */
  async sync(): Promise<void> {
    const isNew = this.#openNewLogs();
    const numbers = [...this.#open.keys()];
    const pending = [...this.#open.values()].map((descriptor) => this.#calls.file(descriptor));
    if (isNew && this.#folderFd !== null) pending.push(this.#calls.folder(this.#folderFd));
    await Promise.all(pending);
    const newest = Math.max(...numbers, this.#firstOpen);
    for (const number of numbers) if (number < newest) this.#closeLog(number);
    this.#firstOpen = newest;
  }

  close(): void {
    for (const number of [...this.#open.keys()]) this.#closeLog(number);
    if (this.#folderFd !== null) fs.closeSync(this.#folderFd);
  }

  #openNewLogs(): boolean {
    let found = false;
    for (const name of fs.readdirSync(this.#folder)) {
      if (!name.endsWith('.log')) continue;
      const number = Number.parseInt(name, 10);
      if (!(number >= this.#firstOpen) || this.#open.has(number)) continue;
      const descriptor = openIfPresent(path.join(this.#folder, name));
      if (descriptor === null) continue;
      this.#open.set(number, descriptor);
      found = true;
    }
    return found;
  }

  #closeLog(number: number): void {
    const descriptor = this.#open.get(number);
    if (descriptor === undefined) return;
    this.#open.delete(number);
    fs.closeSync(descriptor);
  }
}

function openIfPresent(file: string): number | null {
  try {
    return fs.openSync(file, 'r+');
  } catch (error) {
    return nullIfMissing(error);
  }
}
