/** Start here for backups: holds the state of one moment and writes it to a named file. */
import { ApiError } from '../../core/errors.ts';
import { segmentFilesOf } from '../../model/index-manifest.ts';
import { ArchiveWriter } from '../../storage/backups/archive.ts';
import { BackupFolder } from '../../storage/backups/backup-folder.ts';
import { ObjectStoreError } from '../../storage/object-store/object-store.ts';
import type { StoreSnapshots } from '../../storage/object-store/store-snapshots.ts';
import { payloadObject, segmentObject } from '../../storage/object-store/stored-files.ts';
import type { BackupBatch, Backups } from '../../tasks/processing/prepared-batch.ts';
import { copiedRows } from './copied-rows.ts';
import { type Backup, type BackupSources, holdState } from './held-state.ts';
import { writeDump } from './write-dump.ts';
import { writeSnapshot } from './write-snapshot.ts';

export interface BackupPlaces {
  readonly dumpFolder: string;
  readonly snapshotFolder: string;
  /** Snapshots are named after the data folder. */
  readonly snapshotName: string;
  /** Number of snapshots that are kept, including the newest. */
  readonly snapshotsKept: number;
}

/** The object store of the instance, in which its snapshots are. */
export interface BackupStore {
  readonly snapshots: StoreSnapshots;
  /** Resolves when the object store has accepted a write: no other process wrote before. */
  readonly confirmWriter: () => Promise<void>;
}

export interface BackupOptions extends BackupSources {
  readonly places: BackupPlaces;
  /** null = snapshots are archives in a folder. */
  readonly objectStore: BackupStore | null;
}

const DUMP = { compression: 6, mode: 0o600 } as const;
/** Stored without compression: most content is compressed already, and copying must stay fast. */
const SNAPSHOT = { compression: 0, mode: 0o400 } as const;
const DUMP_LEFTOVER = /^\d{8}-\d{9}\.dump\.(tmp|part)$/;

export class StateBackups implements Backups {
  readonly #options: BackupOptions;

  constructor(options: BackupOptions) {
    this.#options = options;
  }

  /** Milliseconds since 1970 of the last snapshot; null if there is none. */
  lastSnapshotMs(): number | null {
    const { objectStore, places } = this.#options;
    if (objectStore !== null) return objectStore.snapshots.newestMs();
    const { snapshotFolder, snapshotName } = places;
    return new BackupFolder(snapshotFolder).modifiedMs(`${snapshotName}.snapshot`);
  }

  async dump(batch: BackupBatch): Promise<() => Promise<string>> {
    return this.#held(batch, async (backup) => {
      const dumpUid = stampOf(batch.startedAt);
      const folder = new BackupFolder(this.#options.places.dumpFolder);
      folder.prepare((name) => DUMP_LEFTOVER.test(name), this.#nowMs);
      const archive = new ArchiveWriter(folder.pathOf(`${dumpUid}.dump`), DUMP);
      await finished(archive, () => writeDump({ ...backup, dumpUid, archive }));
      return dumpUid;
    });
  }

  async snapshot(batch: BackupBatch): Promise<() => Promise<void>> {
    const { objectStore } = this.#options;
    return this.#held(batch, (backup) =>
      objectStore === null ? this.#archive(backup) : this.#addToStore(backup, objectStore),
    );
  }

  /** Adds the list of the state's objects, and its database, to the object store. */
  async #addToStore(backup: Backup, { snapshots, confirmWriter }: BackupStore): Promise<void> {
    const { state, batch } = backup;
    const name = stampOf(batch.startedAt);
    const createdAt = new Date(batch.startedAt / 1000).toISOString();
    batch.progress.plan(['copying the database', 'committing']);
    try {
      const { entries, waiting } = await copiedRows(backup);
      const segments = state.manifests.flatMap(segmentFilesOf).map(segmentObject);
      const objects = [...segments, ...waiting.map(payloadObject)];
      await snapshots.add({ name, createdAt, entries, objects });
      await confirmWriter();
      await snapshots.keepNewest(this.#options.places.snapshotsKept);
    } catch (cause) {
      if (!(cause instanceof ObjectStoreError)) throw cause;
      throw new ApiError('io_error', `The object store failed: ${cause.message}.`, { cause });
    }
  }

  async #archive(backup: Backup): Promise<void> {
    const { snapshotFolder, snapshotName } = this.#options.places;
    const name = `${snapshotName}.snapshot`;
    const copyName = `${name}.rocksdb`;
    const folder = new BackupFolder(snapshotFolder);
    folder.prepare(() => false, this.#nowMs);
    const archive = new ArchiveWriter(folder.pathOf(name), SNAPSHOT);
    try {
      await finished(
        archive,
        () => writeSnapshot({ ...backup, archive, folder, copyName }),
        () => this.#keepLast(folder, name),
      );
    } finally {
      folder.remove(copyName);
    }
  }

  /** Renames the previous snapshot to a name with its date, if older snapshots are kept. */
  #keepLast(folder: BackupFolder, name: string): void {
    const { snapshotName, snapshotsKept } = this.#options.places;
    const lastMs = folder.modifiedMs(name);
    if (lastMs !== null && snapshotsKept > 1)
      folder.keepAs(name, `${snapshotName}.${stampOf(lastMs * 1000)}.snapshot`);
    const dated = folder
      .names(/\.\d{8}-\d{9}\.snapshot$/)
      .filter((found) => found.startsWith(`${snapshotName}.`));
    for (const old of dated.slice(0, Math.max(0, dated.length - (snapshotsKept - 1))))
      folder.remove(old);
  }

  get #nowMs(): number {
    return this.#options.clock() / 1000;
  }

  #held<Result>(
    batch: BackupBatch,
    write: (backup: Backup) => Promise<Result>,
  ): () => Promise<Result> {
    const state = holdState(this.#options);
    return async () => {
      try {
        return await write({ ...this.#options, state, batch });
      } finally {
        await state.release();
      }
    };
  }
}

/**
 * Writes a file and names it at the end; a failure leaves no file. @param beforeNaming called when
 * all bytes are written
 */
async function finished(
  archive: ArchiveWriter,
  write: () => Promise<void>,
  beforeNaming: () => void = () => undefined,
): Promise<void> {
  try {
    await write();
    beforeNaming();
  } catch (error) {
    await archive.abort();
    throw error;
  }
  await archive.finish();
}

/** `YYYYMMDD-HHMMSSmmm` in UTC. @param micros since 1970 */
export function stampOf(micros: number): string {
  const text = new Date(micros / 1000).toISOString();
  const [day = '', time = ''] = text.split('T');
  return `${day.replaceAll('-', '')}-${time.replace(/\D/g, '')}`;
}
