/**
 * Start here for dumps: what one holds, whatever its version, and the port to its unpacked files.
 * `read-dump.ts` reads one, `v6-layout.ts` has the names of its files.
 */
import { isObject, type Json } from '../../core/json.ts';
import type { ApiKey } from '../../model/api-key.ts';
import type { BatchRecord, TaskDraft, TaskRecord } from '../../model/task.ts';
import type { Webhook } from '../../model/webhook.ts';

/** A workspace of chats, its settings as the dump has them. */
export interface DumpedChat {
  readonly uid: string;
  readonly settings: Json;
}

/** The dump cannot be taken; the message is one line for the user. */
export class DumpRefused extends Error {
  override readonly name = 'DumpRefused';
}

/** The unpacked files of a dump, by their paths within it. */
export interface DumpFiles {
  readonly names: readonly string[];
  has(name: string): boolean;
  /** The whole file. */
  text(name: string): Promise<string>;
  /** The lines that are not empty, without their ends. */
  lines(name: string): AsyncIterable<string>;
  /** Pieces of whole lines, each of about so many bytes. */
  pieces(name: string, bytes: number): AsyncIterable<Uint8Array>;
}

export interface DumpedIndex {
  readonly uid: string;
  readonly primaryKey: string | null;
  /** RFC 3339; null where the dump does not say. */
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  /** As the dump has them. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** File of documents, one a line; null = none. */
  readonly documents: string | null;
}

/** What an unfinished task asks for. */
export interface DumpedWork {
  /** The payload of an addition is empty. */
  readonly draft: TaskDraft;
  /** File of the documents of an addition; null = none. */
  readonly documents: string | null;
  /** Uids of the tasks that a cancelation or deletion is about. */
  readonly matched: readonly number[];
}

export interface DumpedTask {
  /** Its details are complete when it is finished. */
  readonly record: TaskRecord;
  /** null when the task is finished, or of a kind that this server does not know. */
  readonly work: DumpedWork | null;
}

export interface Dump {
  /** `V6` or `V5`. */
  readonly version: string;
  /** That of the server that made it. */
  readonly serverVersion: string;
  /** RFC 3339. */
  readonly date: string | null;
  readonly instanceUid: string | null;
  /** Switches as the dump has them, known or not. */
  readonly features: Readonly<Record<string, unknown>>;
  /** Other instances with their keys in clear; null = none. */
  readonly network: Json | null;
  /** Their headers in clear. */
  readonly webhooks: readonly Webhook[];
  readonly chats: readonly DumpedChat[];
  readonly indexes: readonly DumpedIndex[];
  /** Search rules, as the dump has them. */
  searchRules(): AsyncIterable<Json>;
  keys(): AsyncIterable<ApiKey>;
  batches(): AsyncIterable<BatchRecord>;
  tasks(): AsyncIterable<DumpedTask>;
}

/** @param what for the message */
export function readJsonText(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DumpRefused(`${what} of the dump is no JSON: ${(error as Error).message}`);
  }
}

/** @param what for the message */
export function parseObject(text: string, what: string): Json {
  const value = readJsonText(text, what);
  if (isObject(value)) return value;
  throw new DumpRefused(`${what} of the dump is no JSON object`);
}

/** What the lines of a file say; nothing where the dump does not have it. */
export async function* readLines<T>(
  files: DumpFiles,
  name: string,
  read: (line: string) => T,
): AsyncIterable<T> {
  if (!files.has(name)) return;
  for await (const line of files.lines(name)) yield read(line);
}

/** The uid of the instance that the file names; null where the dump does not have it. */
export const instanceUidIn = async (files: DumpFiles, name: string): Promise<string | null> =>
  files.has(name) ? (await files.text(name)).trim() : null;
