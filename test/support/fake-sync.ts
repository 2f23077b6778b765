/**
 * A database and a server in memory, for `gannet sync`: both fail at random moments, and a process
 * that was killed reaches neither of them any more.
 */

import { CommandFailure } from '../../src/cli/command-failure.ts';
import type { Instance, InstanceRequest } from '../../src/cli/instance-client.ts';
import {
  type ChangeSource,
  type FeedState,
  type RowKey,
  type SourceEvent,
  SourceInterrupted,
  type SourceLag,
  type SourceRow,
} from '../../src/cli/sync/change-source.ts';
import type { Json } from '../../src/core/json.ts';
import {
  documentFingerprint,
  FINGERPRINT_PARTS,
  FingerprintSum,
  idDigest,
  partDigits,
} from '../../src/model/document-fingerprint.ts';

/** Thrown out of a process that was killed. */
export class Killed extends Error {}

/** Decides at each step of a process whether it fails there. */
export interface Trouble {
  /** @throws SourceInterrupted or Killed */
  atSource(): Promise<void>;
  /** True if the request gets no answer; it may have had its effect. @throws Killed */
  losesAnswer(): Promise<boolean>;
}

/** A table of numbered rows with text, and its log. */
export class FakeDatabase {
  readonly rows = new Map<string, string>();
  readonly log: SourceEvent[][] = [];
  hasSlot = false;
  isMarked = false;
  confirmed = 0;
  crashes = 0;
  /** Rows without the changes that are not flushed. */
  #flushed: Map<string, string> | null = null;
  readonly #unflushed: string[] = [];

  put(key: string, text: string): void {
    this.flush();
    this.rows.set(key, text);
    this.log.push([{ kind: 'key', indexUid: 'films', key: [key] }]);
  }

  /** The new key is the old one with a letter. */
  rename(key: string): void {
    this.flush();
    const text = this.rows.get(key);
    if (text === undefined) return;
    this.rows.delete(key);
    this.rows.set(`${key}x`, text);
    const keys = [key, `${key}x`];
    this.log.push(keys.map((one) => ({ kind: 'key', indexUid: 'films', key: [one] })));
  }

  remove(key: string): void {
    this.flush();
    this.rows.delete(key);
    this.log.push([{ kind: 'key', indexUid: 'films', key: [key] }]);
  }

  truncate(): void {
    this.flush();
    this.rows.clear();
    this.log.push([{ kind: 'all', indexUid: 'films' }]);
  }

  /** Visible at once, in the log after a flush. */
  putUnflushed(key: string, text: string): void {
    this.#flushed ??= new Map(this.rows);
    this.rows.set(key, text);
    this.#unflushed.push(key);
  }

  flush(): void {
    this.#flushed = null;
    for (const key of this.#unflushed.splice(0))
      this.log.push([{ kind: 'key', indexUid: 'films', key: [key] }]);
  }

  /** What was not flushed is lost. */
  crash(): void {
    this.crashes += 1;
    if (this.#flushed === null) return;
    this.rows.clear();
    for (const [key, text] of this.#flushed) this.rows.set(key, text);
    this.#flushed = null;
    this.#unflushed.length = 0;
  }

  /** The log before now is gone, and the slot with it. */
  dropSlot(): void {
    this.hasSlot = false;
  }
}

export class FakeSource implements ChangeSource {
  readonly indexes = [{ uid: 'films', primaryKey: 'id', fields: ['id', 'text'] }];
  readonly #database: FakeDatabase;
  readonly #trouble: Trouble;
  readonly #crashes: number;
  #isClosed = false;
  #isPaused = false;
  #wake: () => void = () => undefined;

  constructor(database: FakeDatabase, trouble: Trouble) {
    this.#database = database;
    this.#trouble = trouble;
    this.#crashes = database.crashes;
  }

  /** A crash ends all connections that were open. */
  async #step(): Promise<void> {
    await this.#trouble.atSource();
    if (this.#database.crashes > this.#crashes) throw interrupted();
  }

  async open(): Promise<FeedState> {
    await this.#step();
    const { hasSlot } = this.#database;
    if (!hasSlot) {
      this.#database.isMarked = true;
      await this.#step();
      this.#database.confirmed = this.#database.log.length;
      this.#database.hasSlot = true;
    }
    await this.#step();
    const { isMarked, confirmed } = this.#database;
    return { hasPosition: hasSlot, isCopying: isMarked, positionId: String(confirmed) };
  }

  async markCopying(isCopying: boolean): Promise<void> {
    await this.#step();
    this.#database.isMarked = isCopying;
  }

  awaitWriters(): Promise<void> {
    return this.#step();
  }

  async *rows(_indexUid: string, after: RowKey | null): AsyncGenerator<SourceRow> {
    const keys = [...this.#database.rows.keys()].sort();
    for (const key of keys) {
      await this.#step();
      const row = this.#row(key);
      if (row !== null && (after === null || key > (after[0] ?? ''))) yield row;
    }
  }

  async *rowsOf(_indexUid: string, keys: readonly RowKey[]): AsyncGenerator<SourceRow> {
    await this.#step();
    const rows = keys.flatMap(([key = '']) => this.#row(key) ?? []);
    for (const row of rows) yield row;
  }

  #row(key: string): SourceRow | null {
    const text = this.#database.rows.get(key);
    return text === undefined ? null : { key: [key], document: JSON.stringify({ id: key, text }) };
  }

  async awaitDurable(): Promise<void> {
    await this.#step();
    this.#database.flush();
  }

  async *relatedKeys(): AsyncGenerator<readonly RowKey[]> {}

  async stream(
    onEvent: (event: SourceEvent) => void,
    onEnd: (error: Error) => void,
  ): Promise<void> {
    await this.#step();
    void this.#deliver(onEvent).catch(onEnd);
  }

  async #deliver(onEvent: (event: SourceEvent) => void): Promise<void> {
    for (let at = this.#database.confirmed; !this.#isClosed; ) {
      await this.#step();
      if (this.#isPaused)
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      const transaction = this.#database.log[at] ?? [];
      for (const event of transaction) onEvent(event);
      at = Math.min(at + 1, this.#database.log.length);
      onEvent({ kind: 'position', position: BigInt(at), committedMs: null });
      await new Promise(setImmediate);
    }
  }

  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#wake();
  }

  acknowledge(position: bigint): void {
    this.#database.confirmed = Math.max(this.#database.confirmed, Number(position));
  }

  newestPosition(): Promise<bigint> {
    return Promise.resolve(BigInt(this.#database.log.length));
  }

  lag(): Promise<SourceLag> {
    return Promise.resolve({
      bytes: 0,
      retainedBytes: 0,
      bytesLeft: null,
      oldestTransaction: null,
    });
  }

  changedIndexes(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  failure(error: unknown): unknown {
    return error;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    return Promise.resolve();
  }
}

/** Tasks take effect at once. */
export class FakeServer {
  readonly documents = new Map<string, Json>();
  #exists = false;
  #tasks = 0;

  /** The server as one process sees it. */
  seenWith(trouble: Trouble): Instance {
    const request = async (method: string, path: string, sent: InstanceRequest = {}) => {
      const isLost = await trouble.losesAnswer();
      const answer = this.#answer(`${method} ${path}`, sent);
      if (isLost) throw new CommandFailure('the server does not answer');
      return answer;
    };
    const ended = async () => {
      if (await trouble.losesAnswer()) throw new CommandFailure('the server does not answer');
      return { status: 'succeeded' };
    };
    const settle = async (...sent: Parameters<typeof request>) => {
      await request(...sent);
      return ended();
    };
    return { url: 'fake', request, ended, succeeded: ended, settle } as unknown as Instance;
  }

  #answer(request: string, { body, bytes }: InstanceRequest): unknown {
    switch (request.replace(/\?.*/, '')) {
      case 'GET /indexes/films':
        if (!this.#exists) throw new CommandFailure('none', 1, 'index_not_found');
        return { primaryKey: 'id' };
      case 'POST /indexes':
        this.#exists = true;
        return { taskUid: this.#tasks++ };
      case 'GET /indexes/films/documents':
        return { results: [...this.documents.values()].slice(0, 1) };
      case 'POST /indexes/films/documents':
        for (const line of Buffer.from(bytes ?? [])
          .toString()
          .trim()
          .split('\n')) {
          const document = JSON.parse(line) as Json;
          this.documents.set(String(document['id']), document);
        }
        return { taskUid: this.#tasks++ };
      case 'POST /indexes/films/documents/delete-batch':
        for (const id of body as string[]) this.documents.delete(id);
        return { taskUid: this.#tasks++ };
      case 'GET /indexes/films/fingerprint':
        return this.#fingerprint(/documents=(.*)/.exec(request)?.[1]?.split(',') ?? []);
      default:
        throw new Error(`unexpected request: ${request}`);
    }
  }

  #fingerprint(prefixes: readonly string[]): unknown {
    const sum = new FingerprintSum();
    for (const [id, document] of this.documents)
      sum.addDocument(idDigest(id), documentFingerprint(document));
    const { counts, sums } = sum.parts;
    const parts = Array.from({ length: FINGERPRINT_PARTS }, (_, part) => ({
      prefix: partDigits(part),
      numberOfDocuments: counts[part],
      fingerprint: sums[part],
    }));
    const documents = [...this.documents]
      .filter(([id]) => prefixes.some((prefix) => idDigest(id).startsWith(prefix)))
      .map(([id, document]) => ({ id, fingerprint: documentFingerprint(document) }));
    return { ...sum.total, parts, documents };
  }
}

export const interrupted = (): SourceInterrupted => new SourceInterrupted('the connection is lost');
