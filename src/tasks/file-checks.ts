/**
 * Reads every byte of every file in a manifest once, in the background. At start, files that were
 * never verified or changed since come first. Verified files, files of commits and merged files
 * follow after a delay. Reports damaged indexes to the log and to all fronts.
 */
import type { IndexCatalog } from '../catalog/index-catalog.ts';
import type { IndexerEvents } from '../ipc/connection/indexer-protocol.ts';
import { fileNamesOf, type IndexManifest, type SegmentFile } from '../model/index-manifest.ts';
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

const keyOf = (indexId: number, name: string): string => `${indexId}/${name}`;

export class FileChecks {
  readonly #options: FileChecksOptions;
  /** Index id → name of a verified file → its damage, or null. */
  readonly #findings = new Map<number, Map<string, string | null>>();
  /**
   * Index id → name of a sound file, verified or written by this process → its state at that time.
   */
  readonly #sound = new Map<number, Map<string, string>>();
  /** False while `#sound` has changes that are not in the notes. */
  #isNoted = true;
  /** Indexes whose files were all verified and not modified since, or that this process created. */
  readonly #concluded = new Set<number>();
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
    const untouched: number[] = [];
    const noted = this.#options.notes.read();
    for (const index of this.#options.catalog.all()) {
      if (!this.#options.isLocal(index.id)) continue;
      if (this.#areUntouched(index, noted)) untouched.push(index.id);
      else this.#queue.add(index.id);
    }
    void this.#run();
    for (const indexId of untouched) this.consider(indexId);
  }

  #areUntouched({ id, segments }: IndexManifest, noted: ReadonlyMap<string, string>): boolean {
    const names = fileNamesOf(segments);
    const sound = new Map<string, string>();
    for (const name of names) {
      const state = noted.get(keyOf(id, name));
      if (state !== undefined && state === this.#options.notes.stateOf(id, name))
        sound.set(name, state);
    }
    this.#sound.set(id, sound);
    return sound.size === names.length;
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
    const isNew = !this.#concluded.has(indexId) && !this.#queue.has(indexId);
    if (isNew) this.#conclude(indexId, 0);
    if (this.#concluded.has(indexId)) this.#noteWritten(indexId);
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
    for (const states of [this.#queue, this.#concluded, this.#findings, this.#sound])
      states.delete(indexId);
    this.#isNoted = false;
  }

  /** Known damage of the index's files; empty if none is known. */
  damageOf(indexId: number): readonly string[] {
    const found = this.#findings.get(indexId)?.values() ?? [];
    return [...found].filter((damage) => damage !== null);
  }

  /** True if all files from the start were read and no file is known to be damaged. */
  isSound(indexId: number): boolean {
    return this.#concluded.has(indexId) && this.damageOf(indexId).length === 0;
  }

  verdicts(): Verdict[] {
    return [...this.#concluded].map((indexId) => ({ indexId, damage: this.damageOf(indexId) }));
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
    const findings = this.#findings.get(indexId);
    const sound = this.#sound.get(indexId);
    for (const { name } of this.#filesNow(indexId)) {
      if (findings?.has(name) || sound?.has(name)) continue;
      this.#note(indexId, name, this.#options.notes.stateOf(indexId, name));
    }
  }

  #writeNotes(): void {
    if (this.#isNoted) return;
    this.#isNoted = true;
    const states = new Map<string, string>();
    for (const [indexId, sound] of this.#sound)
      for (const [name, state] of sound) states.set(keyOf(indexId, name), state);
    try {
      this.#options.notes.write(states);
    } catch (error) {
      this.#options.log.warn(`sound files could not be noted: ${String(error)}`);
    }
  }

  /** @param state null if the file is damaged or missing */
  #note(indexId: number, name: string, state: string | null): void {
    const sound = this.#sound.get(indexId) ?? new Map<string, string>();
    if ((sound.get(name) ?? null) === state) return;
    if (state === null) sound.delete(name);
    else this.#sound.set(indexId, sound.set(name, state));
    this.#isNoted = false;
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
    const findings = this.#findings.get(indexId) ?? new Map<string, string | null>();
    this.#findings.set(indexId, findings);
    if (!this.#isHere(indexId)) return this.left(indexId);
    const told = this.damageOf(indexId).length;
    for (;;) {
      const file = this.#filesNow(indexId).find(({ name }) => !findings.has(name));
      if (file === undefined || this.#isStopped) break;
      findings.set(file.name, await this.#check(indexId, file));
      if (!this.#isHere(indexId)) return this.left(indexId);
    }
    const named = new Set(this.#filesNow(indexId).map(({ name }) => name));
    for (const name of findings.keys()) if (!named.has(name)) findings.delete(name);
    for (const name of this.#sound.get(indexId)?.keys() ?? [])
      if (!named.has(name)) this.#note(indexId, name, null);
    this.#conclude(indexId, told);
  }

  /** Also true for a deleted index. */
  #isHere(indexId: number): boolean {
    const { catalog, isLocal } = this.#options;
    return catalog.byId(indexId) === null || isLocal(indexId);
  }

  #filesNow(indexId: number): SegmentFile[] {
    return this.#options.catalog.byId(indexId)?.segments.flatMap(({ files }) => files) ?? [];
  }

  /** Resolves to the damage of the file; null if it is sound or no manifest names it any more. */
  async #check(indexId: number, file: SegmentFile): Promise<string | null> {
    const { checkFile, notes, log } = this.#options;
    const state = notes.stateOf(indexId, file.name);
    const damage = await checkFile(indexId, file);
    this.#note(indexId, file.name, damage === null ? state : null);
    const isNamed = this.#filesNow(indexId).some(({ name }) => name === file.name);
    if (damage === null || !isNamed || !this.#isHere(indexId)) return null;
    log.error({ indexId, file: file.name }, damage);
    return damage;
  }

  /** @param published number of damaged files that fronts know of */
  #conclude(indexId: number, published: number): void {
    const { catalog, publish, onSound } = this.#options;
    this.#queue.delete(indexId);
    if (catalog.byId(indexId) === null) {
      this.#findings.delete(indexId);
      this.#sound.delete(indexId);
      this.#concluded.delete(indexId);
      return;
    }
    const isFirst = !this.#concluded.has(indexId);
    this.#concluded.add(indexId);
    const damage = this.damageOf(indexId);
    if (isFirst || damage.length !== published) publish('indexChecked', { indexId, damage });
    if (isFirst && damage.length === 0) onSound(indexId);
  }
}
