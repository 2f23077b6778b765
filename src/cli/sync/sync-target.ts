/** The server whose indexes follow a source: documents sent in parts, and their tasks awaited. */
import type { Json } from '../../core/json.ts';
import { CommandFailure, EXIT } from '../command-failure.ts';
import { failureReason, type Instance, indexPath } from '../instance-client.ts';
import { prepareIndex, refuseExisting } from '../migrate/target-indexes.ts';
import type { FollowedIndex } from './change-source.ts';
import { type Pause, pauseMsAfter } from './inbox.ts';

/** Errors of a server that is busy, starting or out of space; without a code it did not answer. */
const TEMPORARY_CODES = new Set([
  'indexer_unavailable',
  'internal',
  'io_error',
  'no_space_left_on_device',
  'payload_memory_exhausted',
  'task_not_served',
  'too_many_open_files',
  'too_many_requests',
  'writer_unavailable',
]);
const PART_BYTES = 8 * 1024 ** 2;
const WAITING_TASKS_MAX = 4;
/** Attempts without a message: a server that restarts. */
const SILENT_ATTEMPTS = 5;
const DOCUMENT_ID = /^[a-zA-Z0-9_-]{1,511}$/;

interface OpenPart {
  readonly index: FollowedIndex;
  lines: string[];
  bytes: number;
}

export class SyncTarget {
  readonly instance: Instance;
  readonly #note: (line: string) => void;
  readonly #pause: Pause;
  readonly #parts = new Map<string, OpenPart>();
  readonly #taskUids: number[] = [];
  #hasAnswered = false;

  /** @param note prints a line for people */
  constructor(instance: Instance, note: (line: string) => void, pause: Pause) {
    this.instance = instance;
    this.#note = note;
    this.#pause = pause;
  }

  /** Creates the index if it is absent. @throws CommandFailure if it has another primary key */
  async prepare(index: FollowedIndex): Promise<void> {
    await this.#patiently(async () => {
      await refuseExisting(this.instance, [index], true);
      const { uid, primaryKey } = index;
      await prepareIndex(this.instance, { uid, primaryKey, settings: {}, notes: [] });
    });
  }

  /** Fields of a document of the index; null = it has no documents. */
  async fields(index: FollowedIndex): Promise<readonly string[] | null> {
    const path = `${indexPath(index.uid)}/documents?limit=1`;
    const { results } = await this.#patiently(() =>
      this.instance.request<{ results: readonly Json[] }>('GET', path),
    );
    const [first] = results;
    return first === undefined ? null : Object.keys(first);
  }

  /** @param document JSON of one line. @throws CommandFailure if the id is not valid */
  async add(index: FollowedIndex, id: string, document: string): Promise<void> {
    if (!DOCUMENT_ID.test(id))
      throw new CommandFailure(
        `index \`${index.uid}\`: the key \`${id}\` cannot be a document id: letters, digits, - and _ are allowed, at most 511; map another unique column as \`key\``,
        EXIT.failed,
      );
    const part = this.#parts.get(index.uid) ?? { index, lines: [], bytes: 0 };
    this.#parts.set(index.uid, part);
    part.lines.push(document);
    part.bytes += Buffer.byteLength(document);
    if (part.bytes >= PART_BYTES) await this.#send(part);
  }

  async remove(index: FollowedIndex, ids: readonly string[]): Promise<void> {
    const body = ids.filter((id) => DOCUMENT_ID.test(id));
    if (body.length === 0) return;
    const open = this.#parts.get(index.uid);
    if (open !== undefined) await this.#send(open);
    await this.#enqueue(() =>
      this.instance.request('POST', `${indexPath(index.uid)}/documents/delete-batch`, { body }),
    );
  }

  async #send(part: OpenPart): Promise<void> {
    const { index, lines } = part;
    if (lines.length === 0) return;
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    part.lines = [];
    part.bytes = 0;
    const path = `${indexPath(index.uid)}/documents?primaryKey=${encodeURIComponent(index.primaryKey)}`;
    const request = { bytes, contentType: 'application/x-ndjson' };
    await this.#enqueue(() => this.instance.request('POST', path, request));
  }

  async #enqueue(send: () => Promise<{ readonly taskUid: number }>): Promise<void> {
    const { taskUid } = await this.#patiently(send);
    this.#taskUids.push(taskUid);
    if (this.#taskUids.length > WAITING_TASKS_MAX) await this.#settleFirst();
  }

  /** Sends what is collected and resolves when all documents are searchable. */
  async settle(): Promise<void> {
    for (const part of this.#parts.values()) await this.#send(part);
    while (this.#taskUids.length > 0) await this.#settleFirst();
  }

  /** @throws CommandFailure if the task failed or was canceled */
  async #settleFirst(): Promise<void> {
    const [taskUid] = this.#taskUids;
    if (taskUid === undefined) return;
    const task = await this.#patiently(() => this.instance.ended(taskUid));
    if (task.status !== 'succeeded')
      throw new CommandFailure(
        `task ${taskUid}: ${failureReason(task)}`,
        EXIT.failed,
        task.error?.code ?? 'canceled',
      );
    this.#taskUids.shift();
  }

  /** Repeats requests while the server is away, once it has answered. */
  async #patiently<Result>(ask: () => Promise<Result>): Promise<Result> {
    for (let attempt = 0; ; attempt++) {
      try {
        const result = await ask();
        this.#hasAnswered = true;
        return result;
      } catch (error) {
        if (!this.#hasAnswered || !isTemporary(error)) throw error;
        if (attempt % SILENT_ATTEMPTS === SILENT_ATTEMPTS - 1)
          this.#note(`${(error as Error).message}; trying again`);
        await this.#pause(pauseMsAfter(attempt));
      }
    }
  }
}

const isTemporary = (error: unknown): boolean =>
  error instanceof CommandFailure && (error.code === null || TEMPORARY_CODES.has(error.code));
