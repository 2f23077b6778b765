/** Start here for backups: from the moment that one holds to the file with its name. */
import { ArchiveWriter } from '../../storage/archive.ts';
import { BackupFolder } from '../../storage/backup-folder.ts';
import type { BackupBatch, Backups } from '../processing/prepared-batch.ts';
import { holdState, type StateSources } from './held-state.ts';
import { type DumpSources, writeDump } from './write-dump.ts';

export interface BackupOptions extends StateSources, DumpSources {
  readonly dumpFolder: string;
  readonly payloads: StateSources['payloads'] & DumpSources['payloads'];
}

const COMPRESSION = 6;
const OWNER_ONLY = 0o600;
const LEFTOVER = /^\d{8}-\d{9}\.dump\.(tmp|part)$/;

export class StateBackups implements Backups {
  readonly #options: BackupOptions;

  constructor(options: BackupOptions) {
    this.#options = options;
  }

  async dump(batch: BackupBatch): Promise<() => Promise<string>> {
    const options = this.#options;
    const state = holdState(options);
    return async () => {
      try {
        const dumpUid = uidOfDump(batch.startedAt);
        const folder = new BackupFolder(options.dumpFolder);
        const nowMs = options.clock() / 1000;
        const file = folder.prepare(`${dumpUid}.dump`, (name) => LEFTOVER.test(name), nowMs);
        const archive = new ArchiveWriter(file, { compression: COMPRESSION, mode: OWNER_ONLY });
        await finished(archive, () => writeDump({ ...options, state, batch, dumpUid, archive }));
        return dumpUid;
      } finally {
        await state.release();
      }
    };
  }
}

/** What fails leaves nothing. */
async function finished(archive: ArchiveWriter, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    await archive.abort();
    throw error;
  }
  await archive.finish();
}

/** `YYYYMMDD-HHMMSSmmm` in UTC. @param micros since 1970 */
export function uidOfDump(micros: number): string {
  const text = new Date(micros / 1000).toISOString();
  const [day = '', time = ''] = text.split('T');
  return `${day.replaceAll('-', '')}-${time.replace(/\D/g, '')}`;
}
