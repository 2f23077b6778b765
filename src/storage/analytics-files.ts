/**
 * Files of search analytics, in `analytics/` of the data folder: `<day>.<number>.<kind>`, in order of
 * their names. A line is one batch: an array of rows in the form of checked-json.ts. A batch is appended with a newline on both sides in one write, so that the end of a process
 * damages at most the last line; damaged lines are skipped. One process appends, changes and deletes;
 * others read.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { checkedJson, readCheckedJson } from './files/checked-json.ts';
import { createFolders } from './files/create-folders.ts';
import { nullIfMissing } from './files/io-errors.ts';
import { replaceFile } from './files/sync-folder.ts';

const NAME = /^(\d{4}-\d{2}-\d{2})\.(\d{6,})\.(\w+)$/;
const NEWLINE = 0x0a;
const OWNER_ONLY = { folder: 0o700, file: 0o600 };

interface AnalyticsFile {
  readonly name: string;
  readonly day: string;
  readonly number: number;
  readonly kind: string;
  readonly bytes: number;
}

type Rows = readonly unknown[];

const encodeBatch = (rows: Rows): Buffer => Buffer.from(`\n${checkedJson(rows)}\n`);

export class AnalyticsFiles {
  readonly #folder: string;
  readonly #fileBytes: number;

  /** @param fileBytes size from which a new file begins; of no concern for reading */
  constructor(folder: string, fileBytes = 0) {
    this.#folder = folder;
    this.#fileBytes = fileBytes;
  }

  /** By ascending day and number. */
  list(): AnalyticsFile[] {
    if (!fs.existsSync(this.#folder)) return [];
    return fs
      .readdirSync(this.#folder)
      .sort()
      .flatMap((name) => {
        const [, day, number, kind] = NAME.exec(name) ?? [];
        const found = fs.statSync(path.join(this.#folder, name), { throwIfNoEntry: false });
        if (day === undefined || kind === undefined || found === undefined) return [];
        return [{ name, day, kind, number: Number(number), bytes: found.size }];
      });
  }

  /** Survives the end of the process, not a power cut. */
  append(kind: string, day: string, rows: Rows): void {
    createFolders(this.#folder, OWNER_ONLY.folder);
    const files = this.list();
    const last = files.filter((file) => file.kind === kind && file.day === day).at(-1);
    const number = Math.max(0, ...files.map((file) => file.number)) + 1;
    const name =
      last !== undefined && last.bytes < this.#fileBytes
        ? last.name
        : `${day}.${String(number).padStart(6, '0')}.${kind}`;
    const file = path.join(this.#folder, name);
    fs.appendFileSync(file, encodeBatch(rows), { mode: OWNER_ONLY.file });
  }

  remove(name: string): void {
    fs.rmSync(path.join(this.#folder, name), { force: true });
  }

  /** Batches of the files of these days, both included. Deleted files have none. */
  async *read(kind: string, from: string, to: string): AsyncGenerator<Rows> {
    for (const file of this.list())
      if (file.kind === kind && file.day >= from && file.day <= to)
        yield* batchesIn(await this.#content(file.name));
  }

  /**
   * Replaces every row by what `edit` returns; null deletes it. Files without a change stay as they
   * are.
   * @param isConcerned false = no row of a file with this content changes
   */
  async edit(
    edit: (row: unknown) => unknown,
    isConcerned: (content: Buffer) => boolean,
  ): Promise<void> {
    this.#removeIncomplete();
    for (const { name } of this.list()) {
      const content = await this.#content(name);
      if (!isConcerned(content)) continue;
      const batches: Buffer[] = [];
      let isChanged = false;
      for await (const rows of batchesIn(content)) {
        const edited = rows.map(edit).filter((row) => row !== null);
        if (edited.length < rows.length || edited.some((row, i) => row !== rows[i]))
          isChanged = true;
        if (edited.length > 0) batches.push(encodeBatch(edited));
      }
      if (isChanged) this.#replace(name, batches);
    }
  }

  #replace(name: string, batches: readonly Buffer[]): void {
    if (batches.length === 0) this.remove(name);
    else replaceFile(path.join(this.#folder, name), Buffer.concat(batches));
  }

  #removeIncomplete(): void {
    if (!fs.existsSync(this.#folder)) return;
    for (const name of fs.readdirSync(this.#folder)) if (name.endsWith('.new')) this.remove(name);
  }

  /** Empty if the file was deleted. */
  async #content(name: string): Promise<Buffer> {
    const read = fs.promises.readFile(path.join(this.#folder, name));
    return (await read.catch(nullIfMissing)) ?? Buffer.alloc(0);
  }
}

/** Gives the event loop a turn after each batch. */
async function* batchesIn(content: Buffer): AsyncGenerator<Rows> {
  for (let start = 0; start < content.length; ) {
    const newline = content.indexOf(NEWLINE, start);
    const end = newline < 0 ? content.length : newline;
    const rows = readCheckedJson(content.subarray(start, end));
    if (Array.isArray(rows)) {
      yield rows;
      await nextTurn();
    }
    start = end + 1;
  }
}
