/**
 * Reads every byte of every file that a manifest names, once, in the background: at start those that
 * somebody may wait for, which are all but the files that an earlier process found sound or wrote,
 * and nobody has touched since; these, what commits have added and what merges have left after a
 * while. Knows which indexes are damaged and says so, to the log and to all fronts.
 */
import type { IndexCatalog } from '../catalog/index-catalog.ts';
import type { IndexerEvents } from '../ipc/connection/indexer-protocol.ts';
import { fileNamesOf, type IndexManifest, type SegmentFile } from '../model/index-manifest.ts';
import type { Logger } from '../observability/logger.ts';
import type { Publish } from './publishing/after-commit.ts';

/** Resolves with what is wrong with a file of an index, null when nothing is. */
export type CheckFile = (indexId: number, file: SegmentFile) => Promise<string | null>;

/** What earlier processes found sound: `storage/files/verified-files.ts`. States are by `keyOf`. */
export interface SoundNotes {
  read(): ReadonlyMap<string, string>;
  write(states: ReadonlyMap<string, string>): void;
  /** Another one when somebody has touched the file; null when there is none. */
  stateOf(indexId: number, name: string): string | null;
}

export interface FileChecksOptions {
  readonly catalog: Pick<IndexCatalog, 'all' | 'byId'>;
  readonly checkFile: CheckFile;
  readonly notes: SoundNotes;
  readonly publish: Publish;
  /** All files of the index have been read for the first time, and nothing is wrong with them. */
  readonly onSound: (indexId: number) => void;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  /** Calls back once, after `PAUSE_MS`. */
  readonly later: (run: () => void, ms: number) => void;
}

/**
 * Files that this process has just written are sound as far as it can know, and often merged away
 * soon; reading them at once would take the processor from the batches that follow.
 */
const PAUSE_MS = 10_000;

type Verdict = IndexerEvents['indexChecked'];

const keyOf = (indexId: number, name: string): string => `${indexId}/${name}`;

export class FileChecks {
  readonly #options: FileChecksOptions;
  /** Index id → name of a file that has been read → what is wrong with it. */
  readonly #findings = new Map<number, Map<string, string | null>>();
  /**
   * Index id → name of a file that was read and is sound, or that this process has written → its
   * state then.
   */
  readonly #sound = new Map<number, Map<string, string>>();
  /** Whether the notes say all that `#sound` does. */
  #isNoted = true;
  /**
   * Indexes of which all files have been read at some time and not been touched since, or that this
   * process has made.
   */
  readonly #concluded = new Set<number>();
  /** Indexes that may have files that nobody has read yet. */
  readonly #queue = new Set<number>();
  /** Of these, those that somebody waits for. */
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
      if (this.#areUntouched(index, noted)) untouched.push(index.id);
      else this.#queue.add(index.id);
    }
    void this.#run();
    for (const indexId of untouched) this.consider(indexId);
  }

  /** Whether all files of the index are as they were noted. */
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

  /** Somebody waits for what is found out about the index: it is the next one. */
  checkFirst(indexId: number): void {
    if (this.#queue.has(indexId)) this.#first.add(indexId);
  }

  stop(): void {
    this.#isStopped = true;
    this.#writeNotes();
  }

  /** The index may have new files, which this process has written. */
  consider(indexId: number): void {
    const isNew = !this.#concluded.has(indexId) && !this.#queue.has(indexId);
    if (isNew) this.#conclude(indexId, 0);
    if (this.#concluded.has(indexId)) this.#noteWritten(indexId);
    this.#queue.add(indexId);
    if (this.damageOf(indexId).length > 0) void this.#run();
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#options.later(() => {
      this.#isWaiting = false;
      void this.#run();
    }, PAUSE_MS);
  }

  /** What is wrong with the index's files as far as they have been read; empty when nothing is. */
  damageOf(indexId: number): readonly string[] {
    const found = this.#findings.get(indexId)?.values() ?? [];
    return [...found].filter((damage) => damage !== null);
  }

  /**
   * All files that the index had at the start have been read, and nothing is known to be wrong with
   * these or later ones.
   */
  isSound(indexId: number): boolean {
    return this.#concluded.has(indexId) && this.damageOf(indexId).length === 0;
  }

  /** Of every index that has been concluded, for a front that connects. */
  verdicts(): Verdict[] {
    return [...this.#concluded].map((indexId) => ({ indexId, damage: this.damageOf(indexId) }));
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      for (const indexId of this.#queue) {
        for (const asked of this.#first) await this.#checkQueued(asked);
        await this.#checkQueued(indexId);
      }
    } catch (error) {
      if (!this.#isStopped)
        this.#options.log.warn(`files of segments could not be checked: ${String(error)}`);
    } finally {
      this.#isRunning = false;
      this.#writeNotes();
    }
  }

  /** Files that nobody has read yet are as this process has written them a moment ago. */
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

  /** @param state null when the file is not sound, or gone */
  #note(indexId: number, name: string, state: string | null): void {
    const sound = this.#sound.get(indexId) ?? new Map<string, string>();
    if ((sound.get(name) ?? null) === state) return;
    if (state === null) sound.delete(name);
    else this.#sound.set(indexId, sound.set(name, state));
    this.#isNoted = false;
  }

  async #checkQueued(indexId: number): Promise<void> {
    this.#first.delete(indexId);
    if (this.#queue.has(indexId) && !this.#isStopped) await this.#checkIndex(indexId);
  }

  /** File by file, so that what nobody waits for never keeps a merge waiting for long. */
  async #checkIndex(indexId: number): Promise<void> {
    const findings = this.#findings.get(indexId) ?? new Map<string, string | null>();
    this.#findings.set(indexId, findings);
    const told = this.damageOf(indexId).length;
    for (;;) {
      const file = this.#filesNow(indexId).find(({ name }) => !findings.has(name));
      if (file === undefined || this.#isStopped) break;
      findings.set(file.name, await this.#check(indexId, file));
    }
    const named = new Set(this.#filesNow(indexId).map(({ name }) => name));
    for (const name of findings.keys()) if (!named.has(name)) findings.delete(name);
    for (const name of this.#sound.get(indexId)?.keys() ?? [])
      if (!named.has(name)) this.#note(indexId, name, null);
    this.#conclude(indexId, told);
  }

  #filesNow(indexId: number): SegmentFile[] {
    return this.#options.catalog.byId(indexId)?.segments.flatMap(({ files }) => files) ?? [];
  }

  /** Resolves with what is wrong with the file; null, too, when it is not named any more. */
  async #check(indexId: number, file: SegmentFile): Promise<string | null> {
    const { checkFile, notes, log } = this.#options;
    const state = notes.stateOf(indexId, file.name);
    const damage = await checkFile(indexId, file);
    this.#note(indexId, file.name, damage === null ? state : null);
    const isNamed = this.#filesNow(indexId).some(({ name }) => name === file.name);
    if (damage === null || !isNamed) return null;
    log.error({ indexId, file: file.name }, damage);
    return damage;
  }

  /** @param told number of damaged files that fronts have heard of */
  #conclude(indexId: number, told: number): void {
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
    if (isFirst || damage.length !== told) publish('indexChecked', { indexId, damage });
    if (isFirst && damage.length === 0) onSound(indexId);
  }
}
