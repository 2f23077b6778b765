/**
 * Keeps indexes equal to their source: copies what is missing, then applies changes. One reader and
 * one writer, one after the other: a document that is sent later was read later.
 */
import { counted } from '../../core/counted.ts';
import { CommandFailure } from '../command-failure.ts';
import { compareSource } from '../documents/compare-source.ts';
import { type StateEnvironment, StateFile } from '../state-file.ts';
import type { Terminal } from '../terminal.ts';
import {
  type ChangeSource,
  documentIdOf,
  type FeedState,
  type FollowedIndex,
  type RowKey,
  rowDocuments,
  SourceInterrupted,
} from './change-source.ts';
import { Inbox, PAUSE_MS_MAX, type Pause, pauseMsAfter } from './inbox.ts';
import type { ChangeBatch } from './pending-changes.ts';
import type { SyncReport } from './sync-report.ts';
import type { SyncTarget } from './sync-target.ts';

interface IndexCopy {
  /** Key of the last row whose document is in the index; null = none. */
  readonly after: RowKey | null;
  /** True if the index had no documents before the copy. */
  readonly wasEmpty: boolean;
}

/** Progress of the first copy, stored so that an interrupted copy resumes. */
interface CopyState {
  /** Position of the source: progress made at another position counts for nothing. */
  readonly positionId: string;
  /** Unfinished copies by index. */
  readonly copies: Readonly<Record<string, IndexCopy>>;
}

/** @param work identifies source, slot and server */
export const copyStateFile = (work: unknown, env: StateEnvironment): StateFile<CopyState> =>
  new StateFile<CopyState>(
    'syncs',
    work,
    ({ positionId, copies }) => typeof positionId === 'string' && typeof copies === 'object',
    env,
  );

interface SyncOptions {
  readonly target: SyncTarget;
  readonly terminal: Terminal;
  readonly state: StateFile<CopyState>;
  readonly report: SyncReport;
  /** True = ends when all changes up to its start are applied. */
  readonly isOnce: boolean;
  /** True = the first session copies all indexes again. */
  readonly copiesAgain: boolean;
  /** Rows after which the progress of a copy is stored. */
  readonly savedRows: number;
  readonly pause: Pause;
}

const CHECK_EVERY_MS = 10_000;
/** Keys that one query names. */
const KEYS_MAX = 1000;
const SURPLUS_MAX = 50_000;
const SHOWN_ROWS = 1000;

export class SyncRun {
  readonly #options: SyncOptions;
  /** Indexes that the next session copies, whatever the source says. */
  readonly #due: Set<string>;
  #copiesAgain: boolean;
  #hasOpened = false;

  constructor(options: SyncOptions) {
    this.#options = options;
    this.#copiesAgain = options.copiesAgain;
    this.#due = new Set();
  }

  /**
   * Follows the source, connecting again after interruptions. Resolves with `isOnce`.
   * @throws CommandFailure if the first connection fails, or if nothing is gained by another one
   */
  async sessions(connect: () => ChangeSource): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      const source = connect();
      const beganMs = performance.now();
      try {
        return await this.#session(source);
      } catch (thrown) {
        const error = source.failure(thrown);
        if (!(error instanceof SourceInterrupted)) throw error;
        if (!this.#hasOpened) throw new CommandFailure(error.message);
        this.#options.terminal.note(`${error.message}; connecting again`);
      } finally {
        await source.close();
      }
      if (performance.now() - beganMs > PAUSE_MS_MAX) attempt = 0;
      await this.#options.pause(pauseMsAfter(attempt));
    }
  }

  async #session(source: ChangeSource): Promise<void> {
    const feed = await source.open();
    this.#hasOpened = true;
    const timer = setInterval(() => void this.#reportLag(source), CHECK_EVERY_MS);
    try {
      await this.#copyDue(source, feed);
      await this.#follow(source);
    } finally {
      clearInterval(timer);
    }
  }

  /** Also while a copy runs, or the server is away: the log grows then. */
  async #reportLag(source: ChangeSource): Promise<void> {
    const lag = await source.lag().catch(() => null);
    if (lag !== null) this.#options.report.lag(lag);
  }

  async #copyDue(source: ChangeSource, feed: FeedState): Promise<void> {
    const { target, terminal } = this.#options;
    for (const index of source.indexes) await target.prepare(index);
    const saved = this.#options.state.read();
    const copies = await this.#copiesDue(source, feed, saved);
    if (Object.keys(copies).length > 0) {
      this.#options.state.write({ positionId: feed.positionId, copies });
      await source.markCopying(true);
      this.#copiesAgain = false;
      this.#due.clear();
      await source.awaitWriters();
      for (const index of source.indexes)
        if (copies[index.uid] !== undefined) await this.#copy(source, index);
    }
    if (feed.isCopying || Object.keys(copies).length > 0) await source.markCopying(false);
    this.#options.state.remove();
    terminal.note('following changes');
  }

  /** Copies to begin or to resume, by index. */
  async #copiesDue(
    source: ChangeSource,
    feed: FeedState,
    saved: CopyState | null,
  ): Promise<CopyState['copies']> {
    const canResume = feed.isCopying && saved?.positionId === feed.positionId;
    const resumed = canResume && !this.#copiesAgain ? saved.copies : null;
    const isLost = feed.isCopying && resumed === null && this.#due.size === 0;
    const isAll = !feed.hasPosition || this.#copiesAgain || isLost;
    const copies: Record<string, IndexCopy> = {};
    for (const index of source.indexes) {
      const fields = await this.#options.target.fields(index);
      const copy = resumed?.[index.uid] ?? { after: null, wasEmpty: fields === null };
      const isBegun = isAll || this.#due.has(index.uid) || resumed?.[index.uid] !== undefined;
      if (isBegun || fields === null || !hasSame(fields, index.fields)) copies[index.uid] = copy;
    }
    return copies;
  }

  /** Copies all rows, resuming after the last one that is stored. */
  async #copy(source: ChangeSource, index: FollowedIndex): Promise<void> {
    const { target, state, terminal, savedRows } = this.#options;
    const copy = state.read()?.copies[index.uid] ?? { after: null, wasEmpty: false };
    let rows = 0;
    let key: RowKey | null = null;
    for await (const row of source.rows(index.uid, copy.after)) {
      await target.add(index, documentIdOf(row.key), row.document);
      rows += 1;
      key = row.key;
      if (rows % SHOWN_ROWS === 0)
        terminal.progress(`${index.uid}: ${counted(rows, 'row')} copied`);
      if (rows % savedRows !== 0) continue;
      await target.settle();
      await source.awaitDurable();
      this.#saveCopy(index, { ...copy, after: key });
    }
    await target.settle();
    terminal.progress(null);
    terminal.note(`${index.uid}: ${counted(rows, 'row')} copied`);
    if (!copy.wasEmpty) await this.#removeSurplus(source, index);
    await source.awaitDurable();
    this.#saveCopy(index, null);
  }

  #saveCopy(index: FollowedIndex, copy: IndexCopy | null): void {
    const saved = this.#options.state.read();
    if (saved === null) return;
    const { [index.uid]: _, ...others } = saved.copies;
    this.#options.state.write({
      ...saved,
      copies: copy === null ? others : { ...others, [index.uid]: copy },
    });
  }

  /** Deletes documents without a row. A row that was added since is in the stream. */
  async #removeSurplus(source: ChangeSource, index: FollowedIndex): Promise<void> {
    const { target, terminal } = this.#options;
    for (let isCut = true; isCut; ) {
      const found = await compareSource({
        instance: target.instance,
        terminal,
        indexUid: index.uid,
        source: index.uid,
        documents: () => rowDocuments(source.rows(index.uid, null)),
        differencesMax: SURPLUS_MAX,
      });
      isCut = found.isCut && found.surplus.length > 0;
      await target.remove(index, found.surplus);
      await target.settle();
      if (found.surplus.length > 0)
        terminal.note(
          `${index.uid}: ${counted(found.surplus.length, 'document')} without a row deleted`,
        );
    }
  }

  async #follow(source: ChangeSource): Promise<void> {
    const { report, isOnce } = this.#options;
    const goal = isOnce ? await source.newestPosition() : null;
    const inbox = new Inbox(source, this.#options.pause);
    await source.stream(
      (event) => inbox.add(event),
      (error) => inbox.end(error),
    );
    let hasRead = false;
    for (let checkedMs = Number.NEGATIVE_INFINITY; ; ) {
      if (performance.now() - checkedMs >= CHECK_EVERY_MS) {
        checkedMs = performance.now();
        await this.#check(source);
      }
      const batch = await inbox.next(CHECK_EVERY_MS);
      if (batch === null) continue;
      await this.#apply(source, batch);
      report.applied(batch);
      hasRead ||= batch.keys.size + batch.related.length > 0;
      if (batch.position === null) continue;
      if (hasRead) await source.awaitDurable();
      hasRead = false;
      source.acknowledge(batch.position);
      if (goal !== null && batch.position >= goal) return;
    }
  }

  /** Every document that the batch may have changed is read and sent, or deleted. */
  async #apply(source: ChangeSource, batch: ChangeBatch): Promise<void> {
    for (const index of source.indexes) {
      if (batch.copies.has(index.uid)) await this.#copy(source, index);
      for await (const keys of changedKeys(source, batch, index.uid))
        await this.#refresh(source, index, keys);
    }
    await this.#options.target.settle();
  }

  async #refresh(
    source: ChangeSource,
    index: FollowedIndex,
    keys: readonly RowKey[],
  ): Promise<void> {
    const { target } = this.#options;
    const gone = new Set(keys.map(documentIdOf));
    for await (const { key, document } of source.rowsOf(index.uid, keys)) {
      const id = documentIdOf(key);
      gone.delete(id);
      await target.add(index, id, document);
    }
    await target.remove(index, [...gone]);
  }

  async #check(source: ChangeSource): Promise<void> {
    const changed = await source.changedIndexes();
    if (changed.length === 0) return;
    for (const uid of changed) this.#due.add(uid);
    await source.markCopying(true);
    throw new SourceInterrupted(`columns have changed: ${changed.join(', ')} is copied again`);
  }
}

const hasSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name) => b.includes(name));

/** Keys of changed rows, in parts for one query. */
async function* changedKeys(
  source: ChangeSource,
  { keys, related }: ChangeBatch,
  uid: string,
): AsyncGenerator<readonly RowKey[]> {
  yield* partsOf(keys.get(uid) ?? []);
  for (const { indexUid, table, values } of related)
    if (indexUid === uid)
      for await (const found of source.relatedKeys(uid, table, values)) yield* partsOf(found);
}

function* partsOf(keys: readonly RowKey[]): Generator<readonly RowKey[]> {
  for (let at = 0; at < keys.length; at += KEYS_MAX) yield keys.slice(at, at + KEYS_MAX);
}
