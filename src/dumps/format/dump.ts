/**
 * Start here for dumps: the content of a dump of any version, and the port to its unpacked files.
 * `read-dump.ts` reads a dump, `v6-layout.ts` has its file names.
 */
import { isObject, type Json } from '../../core/json.ts';
import type { ApiKey } from '../../model/api-key.ts';
import type { BatchRecord, TaskDraft, TaskRecord } from '../../model/task.ts';
import type { Webhook } from '../../model/webhook.ts';

export interface DumpedChat {
  readonly uid: string;
  readonly settings: Json;
}

/** The dump cannot be imported; the message is one line for the user. */
export class DumpRefused extends Error {
  override readonly name = 'DumpRefused';
}

/** The unpacked files of a dump, by relative path. */
export interface DumpFiles {
  readonly names: readonly string[];
  has(name: string): boolean;
  /** The entire file. */
  text(name: string): Promise<string>;
  /** Non-empty lines, without line ends. */
  lines(name: string): AsyncIterable<string>;
  /** Whole lines, in pieces of about `bytes` bytes. */
  pieces(name: string, bytes: number): AsyncIterable<Uint8Array>;
}

export interface DumpedIndex {
  readonly uid: string;
  readonly primaryKey: string | null;
  /** RFC 3339; null if absent in the dump. */
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  /** Names of the indexes that it is a branch of; absent = none. */
  readonly branchOf?: readonly string[];
  /** As in the dump. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** File of documents, one per line; null = none. */
  readonly documents: string | null;
}

/** The work of an unfinished task. */
export interface DumpedWork {
  /** The payload of an addition is empty. */
  readonly draft: TaskDraft;
  /** File with the documents of an addition; null = none. */
  readonly documents: string | null;
  /** Uids of the tasks that a cancelation or deletion matched. */
  readonly matched: readonly number[];
}

export interface DumpedTask {
  /** Details are complete for a finished task. */
  readonly record: TaskRecord;
  /** null if the task is finished or its kind is unsupported. */
  readonly work: DumpedWork | null;
}

export interface DumpAbout {
  /** `V1` to `V6`. */
  readonly version: string;
  /** Version of the server that created the dump. */
  readonly serverVersion: string;
  /** RFC 3339. */
  readonly date: string | null;
}

export interface Dump extends DumpAbout {
  readonly instanceUid: string | null;
  /** Feature switches as in the dump, known or not. */
  readonly features: Readonly<Record<string, unknown>>;
  /** Remote instances with their keys in clear text; null = none. */
  readonly network: Json | null;
  /** As stored; null = none. */
  readonly aliases: Json | null;
  /** What the dump holds and no server can take over, a line each. */
  readonly leftOut: readonly string[];
  /** With headers in clear text. */
  readonly webhooks: readonly Webhook[];
  readonly chats: readonly DumpedChat[];
  readonly indexes: readonly DumpedIndex[];
  searchRules(): AsyncIterable<Json>;
  keys(): AsyncIterable<ApiKey>;
  batches(): AsyncIterable<BatchRecord>;
  tasks(): AsyncIterable<DumpedTask>;
}

/** @param what describes the text in messages */
function readJsonText(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DumpRefused(`${what} of the dump is no JSON: ${(error as Error).message}`);
  }
}

/** @param what describes the text in messages */
export function parseObject(text: string, what: string): Json {
  const value = readJsonText(text, what);
  if (isObject(value)) return value;
  throw new DumpRefused(`${what} of the dump is no JSON object`);
}

const DATE = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})$/i;

/**
 * Microseconds since 1970; null for a missing date. Dates have up to nine digits of a second and any
 * offset.
 */
export function readDumpDate(text: unknown): number | null {
  const match = typeof text === 'string' ? DATE.exec(text) : null;
  if (match === null) return null;
  const [, day, time, fraction = '', offset = 'Z'] = match;
  const ms = Date.parse(`${day}T${time}${offset.toUpperCase()}`);
  return Number.isNaN(ms) ? null : ms * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'));
}

/** Microseconds since 1970. @param what describes the object with the date, for the message */
export function mustReadDumpDate(text: unknown, what: string): number {
  const micros = readDumpDate(text);
  if (micros !== null) return micros;
  throw new DumpRefused(`${what} of the dump has ${JSON.stringify(text)} for a date`);
}

/** Parses the lines of a file; yields nothing if the file is absent. */
export async function* readLines<T>(
  files: DumpFiles,
  name: string,
  read: (line: string) => T,
): AsyncIterable<T> {
  if (!files.has(name)) return;
  for await (const line of files.lines(name)) yield read(line);
}

/** The instance uid in the file; null if the file is absent. */
export const instanceUidIn = async (files: DumpFiles, name: string): Promise<string | null> =>
  files.has(name) ? (await files.text(name)).trim() : null;

const none: AsyncIterable<never> = {
  [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }),
};

/** The parts of a dump that versions before V6 lack, all or some of them. */
export const WITHOUT_LATER_PARTS: Omit<Dump, keyof DumpAbout | 'indexes'> = {
  instanceUid: null,
  features: {},
  network: null,
  aliases: null,
  leftOut: [],
  webhooks: [],
  chats: [],
  searchRules: () => none,
  keys: () => none,
  batches: () => none,
  tasks: () => none,
};
