/**
 * Files of the audit log, in `audit/` of the data folder: `<day>.<number>.jsonl`, in order of their
 * names, one JSON object per line. All fronts of the folder append, each batch in one write at the
 * end of the file, so that lines of several fronts never mix. A failed write may leave a part of a
 * line, which readers skip.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import { DAY_MS, dayMs, isDay, utcDay } from '../core/calendar-day.ts';
import { isObject, parseJson } from '../core/json.ts';
import type { AuditPage } from '../observability/audit-log.ts';
import { createFolders } from './files/create-folders.ts';
import { nullIfMissing } from './files/io-errors.ts';

const NAME = /^(\d{4}-\d{2}-\d{2})\.\d{6,}\.jsonl$/;
const CURSOR = /^(\d{4}-\d{2}-\d{2}\.\d{6,}\.jsonl):(\d{1,15})$/;
/** Follows every name of a file of the same day. */
const LAST = '.~';
const NEWLINE = 0x0a;
const CHUNK_BYTES = 65_536;
const OWNER_ONLY = { folder: 0o700, file: 0o600 };

interface AuditFilesOptions {
  readonly folder: string;
  /** Days for which lines are kept, today included. */
  readonly days: number;
  /** Size of all files, of which the oldest are deleted beyond it. */
  readonly bytesMax: number;
  /** Size from which a new file begins. */
  readonly fileBytes: number;
}

interface AuditFile {
  readonly name: string;
  readonly day: string;
  readonly bytes: number;
}

export class AuditFiles {
  readonly #options: AuditFilesOptions;
  /** The file may end within a line. */
  #isDoubtful = true;

  constructor(options: AuditFilesOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the lines survive the end of the process. A new file deletes old ones. @param lines
   * end with a newline
   */
  async append(day: string, lines: string): Promise<void> {
    createFolders(this.#options.folder, OWNER_ONLY.folder);
    const last = (await this.#list()).at(-1);
    const isOver = last === undefined || last.day < day || last.bytes >= this.#options.fileBytes;
    const name = isOver ? nameAfter(last, day) : last.name;
    if (isOver) await this.removeOld(day);
    const file = await fs.open(this.#pathOf(name), 'a+', OWNER_ONLY.file);
    try {
      const isWithinLine = this.#isDoubtful && !(await endsLine(file));
      this.#isDoubtful = true;
      const content = Buffer.from(isWithinLine ? `\n${lines}` : lines);
      const { bytesWritten } = await file.write(content);
      if (bytesWritten < content.length) throw new Error('only a part was written');
      this.#isDoubtful = false;
    } finally {
      await file.close();
    }
  }

  /** The lines written so far survive a power failure. */
  async sync(): Promise<void> {
    const newest = (await this.#list()).at(-1);
    if (newest === undefined) return;
    const file = await fs.open(this.#pathOf(newest.name), 'r+');
    try {
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  async removeOld(today: string): Promise<void> {
    const { days, bytesMax } = this.#options;
    const firstDay = utcDay(dayMs(today) - (days - 1) * DAY_MS);
    const list = await this.#list();
    let bytes = list.reduce((sum, file) => sum + file.bytes, 0);
    for (const file of list) {
      if (file.day >= firstDay && bytes <= bytesMax) return;
      await fs.rm(this.#pathOf(file.name), { force: true });
      bytes -= file.bytes;
    }
  }

  /**
   * @param from `next` of a page, or a day, whose lines and older ones follow; null = all lines
   * @returns null if `from` is neither
   */
  async page(from: string | null, limit: number): Promise<AuditPage | null> {
    const [, name = `${from ?? '~'}${LAST}`, offset] = CURSOR.exec(from ?? '') ?? [];
    if (offset === undefined && from !== null && !isDay(from)) return null;
    const lines: string[] = [];
    const files = (await this.#list()).filter((file) => file.name <= name).reverse();
    for (const [i, file] of files.entries()) {
      const isBegun = file.name === name && offset !== undefined;
      const end = isBegun ? Math.min(Number(offset), file.bytes) : file.bytes;
      const start = await this.#readBack(file.name, end, limit, lines);
      if (start > 0 || (lines.length === limit && i < files.length - 1))
        return { lines, next: `${file.name}:${start}` };
    }
    return { lines, next: null };
  }

  /** Adds lines before `end`, the last one first. @returns the start of the oldest line added */
  async #readBack(name: string, end: number, limit: number, lines: string[]): Promise<number> {
    const file = await openOrNull(this.#pathOf(name));
    let content: Buffer = Buffer.alloc(0);
    let start = end;
    try {
      while (file !== null && start > 0 && lines.length < limit) {
        const size = Math.min(CHUNK_BYTES, start);
        const { buffer } = await file.read(Buffer.alloc(size), 0, size, start - size);
        start -= size;
        content = takeLast(Buffer.concat([buffer, content]), start === 0, limit, lines);
      }
    } finally {
      await file?.close();
    }
    return file === null ? 0 : start + content.length;
  }

  #pathOf(name: string): string {
    return path.join(this.#options.folder, name);
  }

  /** By ascending name. */
  async #list(): Promise<AuditFile[]> {
    const names = (await fs.readdir(this.#options.folder).catch(nullIfMissing)) ?? [];
    const files: AuditFile[] = [];
    for (const name of names.sort()) {
      const day = NAME.exec(name)?.[1];
      const found = day && (await fs.stat(this.#pathOf(name)).catch(() => null));
      if (day && found) files.push({ name, day, bytes: found.size });
    }
    return files;
  }
}

/**
 * Adds lines of the content, the last one first. @param isComplete the content begins with a line
 * @returns the content before these lines
 */
function takeLast(content: Buffer, isComplete: boolean, limit: number, lines: string[]): Buffer {
  let rest = content;
  while (lines.length < limit && rest.length > 0) {
    const before = rest.length < 2 ? -1 : rest.lastIndexOf(NEWLINE, -2);
    if (before < 0 && !isComplete) break;
    const line = rest.toString('utf8', before + 1).trim();
    if (isObject(parseJson(line))) lines.push(line);
    rest = rest.subarray(0, before + 1);
  }
  return rest;
}

/** Names never descend, also if the clock does. */
function nameAfter(last: AuditFile | undefined, day: string): string {
  const number = last === undefined ? 0 : Number(last.name.split('.')[1]);
  const next = String(number + 1).padStart(6, '0');
  return `${last !== undefined && last.day > day ? last.day : day}.${next}.jsonl`;
}

/** null if the file was deleted. */
const openOrNull = (file: string) => fs.open(file).catch(nullIfMissing);

async function endsLine(file: fs.FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return true;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === NEWLINE;
}
