/**
 * Runs a migration: indexes, then documents part by part, then API keys. Saves its state after each
 * part that this server has acknowledged, since an acknowledged part is durable.
 */
import { counted } from '../../core/counted.ts';
import type { MappedIndex, MigrationNote } from '../../migration/mapped-index.ts';
import { CommandFailure } from '../command-failure.ts';
import { failureReason, type Instance, indexPath } from '../instance-client.ts';
import { Progress } from '../progress.ts';
import type { StateFile } from '../state-file.ts';
import type { Terminal } from '../terminal.ts';
import {
  type MigrationPart,
  type MigrationSource,
  notesAbout,
  type SourceNote,
} from './migration-source.ts';
import { type MigrationState, NOTHING_DONE, withNotes } from './migration-state.ts';
import { prepareIndex, refuseExisting } from './target-indexes.ts';

/** Maximum number of parts waiting in the server: bounds the disk space of its task queue. */
const WAITING_TASKS_MAX = 16;

interface MigrationOptions {
  readonly source: MigrationSource;
  readonly target: Instance;
  readonly terminal: Terminal;
  readonly file: StateFile<MigrationState>;
  readonly mayExist: boolean;
}

interface ReportedIndex {
  readonly uid: string;
  readonly documents: number;
  /** Documents of the source if it counts them, else those sent. */
  readonly expected: number;
}

export interface MigrationReport extends Pick<MigrationState, 'notes' | 'failures'> {
  readonly indexes: readonly ReportedIndex[];
  readonly keys: number;
}

export class Migration {
  readonly #progress = new Progress();
  readonly #options: MigrationOptions;
  #state: MigrationState;

  constructor(options: MigrationOptions) {
    this.#options = options;
    this.#state = options.file.read() ?? NOTHING_DONE;
  }

  /** Does not repeat work of an earlier, interrupted run. @throws CommandFailure */
  async run(): Promise<MigrationReport> {
    const { source, terminal } = this.#options;
    if (this.#state.place !== null)
      terminal.note(`resuming after ${counted(this.#sent(), 'document')}`);
    await this.#prepareAll();
    for await (const part of source.parts(this.#state.place)) await this.#send(part);
    await this.#wait(0);
    await this.#makeKeys();
    const report = await this.#report();
    terminal.progress(null);
    this.#options.file.remove();
    return report;
  }

  async #prepareAll(): Promise<void> {
    const { source } = this.#options;
    if (this.#state.claimed.length === 0) this.#note(source.notes);
    await this.#claim(source.indexes);
    for (const index of source.indexes)
      if (!this.#state.prepared.includes(index.uid)) await this.#prepare(index, index.notes);
  }

  /** Marks the indexes as this migration's, also for a later run that resumes it. */
  async #claim(indexes: readonly MappedIndex[]): Promise<void> {
    const { target, mayExist } = this.#options;
    const { claimed } = this.#state;
    const others = indexes.filter(({ uid }) => !claimed.includes(uid));
    if (others.length === 0) return;
    await refuseExisting(target, others, mayExist);
    this.#keep({ claimed: [...claimed, ...others.map(({ uid }) => uid)] });
  }

  async #prepare(index: MappedIndex, notes: readonly MigrationNote[]): Promise<void> {
    const { target, terminal } = this.#options;
    terminal.progress(`${index.uid}: settings`);
    const refused = await prepareIndex(target, index);
    this.#note(notesAbout(index.uid, [...notes, ...refused]));
    this.#keep({ prepared: [...this.#state.prepared, index.uid] });
  }

  async #send({ batches, notes, place, done }: MigrationPart): Promise<void> {
    const { target, terminal } = this.#options;
    const { taskUids, sent } = this.#state;
    const added: number[] = [];
    const counts: Record<string, number> = { ...sent };
    for (const { indexUid, primaryKey, lines, documents } of batches) {
      await this.#prepareMet(indexUid, primaryKey);
      const query = primaryKey === null ? '' : `?primaryKey=${encodeURIComponent(primaryKey)}`;
      const path = `${indexPath(indexUid)}/documents${query}`;
      const request = { bytes: Buffer.from(lines), contentType: 'application/x-ndjson' };
      const { taskUid } = await target.request<{ taskUid: number }>('POST', path, request);
      added.push(taskUid);
      counts[indexUid] = (counts[indexUid] ?? 0) + documents;
    }
    const { notes: before } = this.#state;
    this.#keep({
      place,
      sent: counts,
      taskUids: [...taskUids, ...added],
      notes: withNotes(before, notes),
    });
    terminal.progress(this.#progress.line(done, `${counted(this.#sent(), 'document')} sent`));
    await this.#wait(WAITING_TASKS_MAX);
  }

  /** Creates an index for which the source has no settings. */
  async #prepareMet(uid: string, primaryKey: string | null): Promise<void> {
    if (this.#state.prepared.includes(uid)) return;
    const index = { uid, primaryKey, settings: {}, notes: [] };
    await this.#claim([index]);
    await this.#prepare(index, [
      { name: 'settings', message: 'were not given: defaults are used' },
    ]);
  }

  /** Waits until at most `unfinishedMax` tasks are unfinished. */
  async #wait(unfinishedMax: number): Promise<void> {
    const { target, terminal } = this.#options;
    for (
      let uids = this.#state.taskUids;
      uids.length > unfinishedMax;
      uids = this.#state.taskUids
    ) {
      const [first, ...others] = uids as [number, ...number[]];
      const task = await target.ended(first, () =>
        terminal.progress(`indexing ${counted(uids.length, 'part')}`),
      );
      const failed = task.status === 'succeeded' ? [] : [`task ${first}: ${failureReason(task)}`];
      this.#keep({ taskUids: others, failures: [...this.#state.failures, ...failed] });
    }
  }

  async #makeKeys(): Promise<void> {
    const { source, target } = this.#options;
    if (this.#state.keys !== null) return;
    let made = 0;
    for (const body of source.keys) {
      try {
        await target.request('POST', '/keys', { body });
        made += 1;
      } catch (error) {
        if (!(error instanceof CommandFailure) || error.code === null) throw error;
        const name = `key ${String(body['name'] ?? body['uid'])}`;
        const outcome = { about: 'keys', name, message: `is not created: ${error.message}` };
        this.#note([outcome]);
      }
    }
    this.#keep({ keys: made });
  }

  async #report(): Promise<MigrationReport> {
    const { source, target } = this.#options;
    const { prepared, notes, keys, failures } = this.#state;
    const indexes: ReportedIndex[] = [];
    const missing: string[] = [];
    for (const uid of prepared) {
      const path = `${indexPath(uid)}/stats`;
      const { numberOfDocuments } = await target.request<{ numberOfDocuments: number }>(
        'GET',
        path,
      );
      const inSource = source.indexes.find((index) => index.uid === uid)?.documents;
      const expected = inSource ?? this.#state.sent[uid] ?? 0;
      indexes.push({ uid, documents: numberOfDocuments, expected });
      if (inSource !== undefined && numberOfDocuments < inSource)
        missing.push(`${uid}: ${numberOfDocuments} of ${counted(inSource, 'document')} found`);
    }
    return { indexes, keys: keys ?? 0, notes, failures: [...failures, ...missing] };
  }

  #sent(): number {
    return Object.values(this.#state.sent).reduce((sum, count) => sum + count, 0);
  }

  #note(notes: readonly SourceNote[]): void {
    this.#keep({ notes: withNotes(this.#state.notes, notes) });
  }

  #keep(change: Partial<MigrationState>): void {
    this.#state = { ...this.#state, ...change };
    this.#options.file.write(this.#state);
  }
}
