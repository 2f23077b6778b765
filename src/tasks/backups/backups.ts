/** Start here for backups: from the moment that one holds to the file with its name. */
import { ArchiveWriter } from '../../storage/backups/archive.ts';
import { BackupFolder } from '../../storage/backups/backup-folder.ts';
import type { BackupBatch, Backups } from '../processing/prepared-batch.ts';
import { type HeldState, holdState, type StateSources } from './held-state.ts';
import { type DumpSources, writeDump } from './write-dump.ts';
import { type SnapshotSources, writeSnapshot } from './write-snapshot.ts';

export interface BackupPlaces {
  readonly dumpFolder: string;
  readonly snapshotFolder: string;
  /** Snapshots are named after the data folder. */
  readonly snapshotName: string;
  /** How many snapshots stay, the newest included. */
  readonly snapshotsKept: number;
}

export interface BackupOptions extends StateSources, DumpSources, SnapshotSources {
  readonly places: BackupPlaces;
  readonly payloads: StateSources['payloads'] &
    DumpSources['payloads'] &
    SnapshotSources['payloads'];
}

const DUMP = { compression: 6, mode: 0o600 } as const;
/** Most of it is compressed already, and a snapshot is to take as long as copying it does. */
const SNAPSHOT = { compression: 0, mode: 0o400 } as const;
const DUMP_LEFTOVER = /^\d{8}-\d{9}\.dump\.(tmp|part)$/;

export class StateBackups implements Backups {
  readonly #options: BackupOptions;

  constructor(options: BackupOptions) {
    this.#options = options;
  }

  /** When the last snapshot was written; null when there is none. */
  lastSnapshotMs(): number | null {
    const { snapshotFolder, snapshotName } = this.#options.places;
    return new BackupFolder(snapshotFolder).modifiedMs(`${snapshotName}.snapshot`);
  }

  async dump(batch: BackupBatch): Promise<() => Promise<string>> {
    return this.#held(async (state) => {
      const dumpUid = stampOf(batch.startedAt);
      const folder = new BackupFolder(this.#options.places.dumpFolder);
      folder.prepare((name) => DUMP_LEFTOVER.test(name), this.#nowMs);
      const archive = new ArchiveWriter(folder.pathOf(`${dumpUid}.dump`), DUMP);
      const options = { ...this.#options, state, batch, dumpUid, archive };
      await finished(archive, () => writeDump(options));
      return dumpUid;
    });
  }

  async snapshot(batch: BackupBatch): Promise<() => Promise<void>> {
    return this.#held(async (state) => {
      const { snapshotFolder, snapshotName } = this.#options.places;
      const name = `${snapshotName}.snapshot`;
      const copyName = `${name}.rocksdb`;
      const folder = new BackupFolder(snapshotFolder);
      folder.prepare(() => false, this.#nowMs);
      for (const left of [copyName, `${copyName}.pid`]) folder.remove(left);
      const archive = new ArchiveWriter(folder.pathOf(name), SNAPSHOT);
      try {
        const options = { ...this.#options, state, batch, archive, folder, copyName };
        await finished(
          archive,
          () => writeSnapshot(options),
          () => this.#keepLast(folder, name),
        );
      } finally {
        folder.remove(copyName);
      }
    });
  }

  /** The snapshot before the one to come stays under a name with its date, if it is to stay. */
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

  #held<Result>(write: (state: HeldState) => Promise<Result>): () => Promise<Result> {
    const state = holdState(this.#options);
    return async () => {
      try {
        return await write(state);
      } finally {
        await state.release();
      }
    };
  }
}

/** What fails leaves nothing. @param beforeNaming comes when all is written */
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
