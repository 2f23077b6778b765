/** Writes the snapshot of a held state: an archive of a data folder (snapshot-layout.ts). */
import path from 'node:path';
import { fileNamesOf } from '../../model/index-manifest.ts';
import type { ArchiveWriter } from '../../storage/backups/archive.ts';
import type { BackupFolder } from '../../storage/backups/backup-folder.ts';
import {
  CHECKSUMS,
  checksumLines,
  type SummedFile,
} from '../../storage/backups/snapshot-layout.ts';
import { DATABASE } from '../../storage/data-folder/data-folder.ts';
import { DATA_FORMAT, versionText } from '../../storage/data-folder/data-folder-check.ts';
import { createDatabase } from '../../storage/database/bulk-writes.ts';
import { copiedRows } from './copied-rows.ts';
import type { Backup } from './held-state.ts';

export interface SnapshotOptions extends Backup {
  readonly archive: ArchiveWriter;
  readonly folder: BackupFolder;
  /** Name of the database copy in `folder`. */
  readonly copyName: string;
}

/** Adds everything to the archive. @throws BatchCanceled, ApiError */
export async function writeSnapshot(options: SnapshotOptions): Promise<void> {
  const { state, batch, archive, folder, copyName, locate, payloads } = options;
  const { progress } = batch;
  progress.plan(['copying the database', 'archiving files', 'committing']);
  const { entries, waiting } = await copiedRows(options);
  await createDatabase(folder.pathOf(copyName), entries);
  const database = folder.below(copyName).map((name) => ({
    name: `${DATABASE}/${name}`,
    source: path.join(folder.pathOf(copyName), name),
  }));
  const segments = state.manifests.flatMap(({ id, segments }) =>
    fileNamesOf(segments).map((name) => ({
      name: `indexes/${id}/${name}`,
      source: path.join(locate(id), name),
    })),
  );
  const bodies = waiting.map(({ name }) => ({
    name: `spool/${name}`,
    source: payloads.pathOf(name),
  }));
  const files = [...database, ...segments, ...bodies];
  progress.begin('archiving files', files.length);
  const summed: SummedFile[] = [];
  for (const { name, source } of files) {
    progress.throwIfCanceled();
    summed.push({ name, sha256: await archive.addFile(name, source) });
    progress.advance();
  }
  const version = Buffer.from(versionText(DATA_FORMAT));
  summed.push({ name: 'VERSION', sha256: await archive.addBytes('VERSION', version) });
  await archive.addBytes(CHECKSUMS, Buffer.from(checksumLines(summed)));
}
