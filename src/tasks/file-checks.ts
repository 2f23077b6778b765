/**
 * Reads every byte of every file in a manifest once, in the background. At start, files that were
 * never verified or changed since come first. Verified files, files of commits and merged files
 * follow after a delay. Reports damaged indexes to the log and to all fronts.
 */
import type { IndexCatalog } from '../catalog/index-catalog.ts';
import { getOrCompute } from '../core/get-or-compute.ts';
import type { IndexerEvents } from '../ipc/connection/indexer-protocol.ts';
import { fileNamesOf, type SegmentFile } from '../model/index-manifest.ts';
import type { Logger } from '../observability/logger.ts';
import type { Publish } from './publishing/after-commit.ts';

/** Resolves to the damage of a file; null if the file is sound. */
type CheckFile = (indexId: number, file: SegmentFile) => Promise<string | null>;

/** Results of earlier processes (`storage/files/verified-files.ts`). States are by `keyOf`. */
interface SoundNotes {
  read(): ReadonlyMap<string, string>;
  write(states: ReadonlyMap<string, string>): void;
  /** Changes when the file is modified; null if the file does not exist. */
  stateOf(indexId: number, name: string): string | null;
}

interface FileChecksOptions {
  readonly catalog: Pick<IndexCatalog, 'all' | 'byId'>;
  readonly checkFile: CheckFile;
  readonly notes: SoundNotes;
  /** False while the files of the index are only in the object store. */
  readonly isLocal: (indexId: number) => boolean;
  readonly publish: Publish;
  /** All files of the index were read once and none is damaged. */
  readonly onSound: (indexId: number) => void;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  /** Calls `run` once after `PAUSE_MS`. */
  readonly later: (run: () => void, ms: number) => void;
}

/**
 * Delay before files of this process are read. They are probably sound and often merged soon, and
 * reading them at once would slow down the next batches.
 */
const PAUSE_MS = 10_000;

type Verdict = IndexerEvents['indexChecked'];

interface CheckedFile {
  /** When it was verified, or written by this process; null if it is damaged or missing. */
  readonly state: string | null;
  /** null if it is sound; undefined until this process has read it. */
  readonly damage?: string | null;
}

interface CheckedIndex {
  /** By name. */
  readonly files: Map<string, CheckedFile>;
  /** Its files were all verified and not modified since, or this process created it. */
  isConcluded: boolean;
}

const keyOf = (indexId: number, name: string): string => `${indexId}/${name}`;

export class FileChecks {
  readonly #options: FileChecksOptions;
  readonly #indexes = new Map<number, CheckedIndex>();
  /** Indexes that may have unverified files. */
  readonly #queue = new Set<number>();
  /** The indexes of `#queue` that are checked first, because a caller waits for them. */
  readonly #first = new Set<number>();
  #isRunning = false;
  #isWaiting = false;
  #isStopped = false;

  constructor(options: FileChecksOptions) {
    this.#options = options;
  }

  start(): void {
    const { catalog, isLocal, notes } = this.#options;
    const noted = notes.read();
    const untouched: number[] = [];
    for (const { id, segments } of catalog.all()) {
      if (!isLocal(id)) continue;
      const names = fileNamesOf(segments);
      const { files } = this.#of(id);
      for (const name of names) {
        const state = noted.get(keyOf(id, name));
        if (state !== undefined && state === notes.stateOf(id, name)) files.set(name, { state });
      }
      if (files.size === names.length) untouched.push(id);
      else this.#queue.add(id);
    }
    void this.#run();
    for (const indexId of untouched) this.consider(indexId);
  }

  /** Moves the index to the front of the queue, because a caller waits for its verdict. */
  checkFirst(indexId: number): void {
    if (this.#queue.has(indexId)) this.#first.add(indexId);
  }

  stop(): void {
    this.#isStopped = true;
    this.#writeNotes();
  }

  /** Queues an index that may have new files from this process. */
  consider(indexId: number): void {
    if (!this.#isHere(indexId)) return;
    const index = this.#of(indexId);
    if (!index.isConcluded && !this.#queue.has(indexId)) this.#conclude(indexId, 0);
    if (index.isConcluded) this.#noteWritten(indexId);
    this.#queue.add(indexId);
    if (this.damageOf(indexId).length > 0) void this.#run();
    this.#runLater();
  }

  /** The files were compared with their checksums when they were fetched. */
  fetched(indexId: number): void {
    this.#noteWritten(indexId);
    this.#conclude(indexId, 0);
  }

  /** The files leave the disk. */
  left(indexId: number): void {
    this.#queue.delete(indexId);
    this.#indexes.delete(indexId);
  }

  /** Known damage of the index's files; empty if none is known. */
  damageOf(indexId: number): readonly string[] {
    const files = this.#indexes.get(indexId)?.files.values() ?? [];
    return [...files].flatMap(({ damage }) => damage ?? []);
  }

  /** True if all files from the start were read and no file is known to be damaged. */
  isSound(indexId: number): boolean {
    const isConcluded = this.#indexes.get(indexId)?.isConcluded === true;
    return isConcluded && this.damageOf(indexId).length === 0;
  }

  verdicts(): Verdict[] {
    return [...this.#indexes]
      .filter(([, { isConcluded }]) => isConcluded)
      .map(([indexId]) => ({ indexId, damage: this.damageOf(indexId) }));
  }

  #of(indexId: number): CheckedIndex {
    return getOrCompute(this.#indexes, indexId, () => ({ files: new Map(), isConcluded: false }));
  }

  /** Checks the queued indexes. One that cannot be checked stays queued and is tried again. */
  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (const indexId of this.#queue) {
      for (const asked of this.#first) await this.#checkQueued(asked);
      await this.#checkQueued(indexId);
    }
    this.#isRunning = false;
    this.#writeNotes();
  }

  #runLater(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#options.later(() => {
      this.#isWaiting = false;
      void this.#run();
    }, PAUSE_MS);
  }

  /** Notes the states of unread files, which this process has just written. */
  #noteWritten(indexId: number): void {
    const { files } = this.#of(indexId);
    for (const { name } of this.#filesNow(indexId))
      if (!files.has(name)) files.set(name, { state: this.#options.notes.stateOf(indexId, name) });
  }

  #writeNotes(): void {
    const states = new Map<string, string>();
    for (const [indexId, { files }] of this.#indexes)
      for (const [name, { state }] of files)
        if (state !== null) states.set(keyOf(indexId, name), state);
    try {
      this.#options.notes.write(states);
    } catch (error) {
      this.#options.log.warn(`sound files could not be noted: ${String(error)}`);
    }
  }

  async #checkQueued(indexId: number): Promise<void> {
    this.#first.delete(indexId);
    if (!this.#queue.has(indexId) || this.#isStopped) return;
    try {
      await this.#checkIndex(indexId);
    } catch (error) {
      if (this.#isStopped) return;
      this.#options.log.warn(`files of index ${indexId} could not be checked: ${String(error)}`);
      this.#runLater();
    }
  }

  /** Checks file by file, so that a check delays a merge by one file at most. */
  async #checkIndex(indexId: number): Promise<void> {
    const { files } = this.#of(indexId);
    const published = this.damageOf(indexId).length;
    for (;;) {
      if (!this.#isHere(indexId)) return this.left(indexId);
      if (this.#isStopped) return;
      const now = this.#filesNow(indexId);
      const file = now.find(({ name }) => files.get(name)?.damage === undefined);
      if (file === undefined) break;
      files.set(file.name, await this.#check(indexId, file));
    }
    const named = new Set(this.#filesNow(indexId).map(({ name }) => name));
    for (const name of files.keys()) if (!named.has(name)) files.delete(name);
    this.#conclude(indexId, published);
  }

  /** Also true for a deleted index. */
  #isHere(indexId: number): boolean {
    const { catalog, isLocal } = this.#options;
    return catalog.byId(indexId) === null || isLocal(indexId);
  }

  #filesNow(indexId: number): SegmentFile[] {
    return this.#options.catalog.byId(indexId)?.segments.flatMap(({ files }) => files) ?? [];
  }

  /** Damage of a file that no manifest names any more is of no concern. */
  async #check(indexId: number, file: SegmentFile): Promise<CheckedFile> {
    const { checkFile, notes, log } = this.#options;
    const state = notes.stateOf(indexId, file.name);
    const damage = await checkFile(indexId, file);
    if (damage === null) return { state, damage };
    const isNamed = this.#filesNow(indexId).some(({ name }) => name === file.name);
    if (!isNamed || !this.#isHere(indexId)) return { state: null, damage: null };
    log.error({ indexId, file: file.name }, damage);
    return { state: null, damage };
  }

  /** @param published number of damaged files that fronts know of */
  #conclude(indexId: number, published: number): void {
    const { catalog, publish, onSound } = this.#options;
    this.#queue.delete(indexId);
    if (catalog.byId(indexId) === null) {
      this.#indexes.delete(indexId);
      return;
    }
    const index = this.#of(indexId);
    const isFirst = !index.isConcluded;
    index.isConcluded = true;
    const damage = this.damageOf(indexId);
    if (isFirst || damage.length !== published) publish('indexChecked', { indexId, damage });
    if (isFirst && damage.length === 0) onSound(indexId);
  }
}
