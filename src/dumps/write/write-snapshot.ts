/** Writes the snapshot of a held state: an archive of a data folder (snapshot-layout.ts). */
import path from 'node:path';
import { throwIfDamaged } from '../../core/errors.ts';
import { fileNamesOf, type IndexManifest } from '../../model/index-manifest.ts';
import type { ArchiveWriter } from '../../storage/backups/archive.ts';
import type { BackupFolder } from '../../storage/backups/backup-folder.ts';
import {
  CHECKSUMS,
  checksumLines,
  type SummedFile,
} from '../../storage/backups/snapshot-layout.ts';
import { DATABASE } from '../../storage/data-folder/data-folder.ts';
import { DATA_FORMAT, versionText } from '../../storage/data-folder/data-folder-check.ts';
import { copyStore } from '../../storage/database/copy-store.ts';
import type { PayloadStore } from '../../storage/payload-store.ts';
import type { BackupBatch } from '../../tasks/processing/prepared-batch.ts';
import { isCopied, tasksOfCopy } from './copied-rows.ts';
import type { HeldState } from './held-state.ts';

export interface SnapshotSources {
  readonly locate: (indexId: number) => string;
  /** Known damage of the index's files. */
  readonly damageOf: (indexId: number) => readonly string[];
  readonly payloads: Pick<PayloadStore, 'pathOf'>;
  readonly clock: () => number;
}

export interface SnapshotOptions extends SnapshotSources {
  readonly state: HeldState;
  readonly batch: BackupBatch;
  readonly archive: ArchiveWriter;
  readonly folder: BackupFolder;
  /** Name of the database copy in `folder`. */
  readonly copyName: string;
}

interface SourceFile {
  readonly name: string;
  readonly source: string;
}

/** Adds everything to the archive. @throws BatchCanceled, ApiError */
export async function writeSnapshot(options: SnapshotOptions): Promise<void> {
  const { state, batch, archive, folder, copyName } = options;
  const { progress } = batch;
  progress.plan(['copying the database', 'archiving files', 'committing']);
  progress.begin('copying the database');
  const waiting = await copyDatabase(options);
  const database = folder.below(copyName).map((name) => ({
    name: `${DATABASE}/${name}`,
    source: path.join(folder.pathOf(copyName), name),
  }));
  const segments = state.manifests.flatMap((manifest) => filesOfIndex(manifest, options));
  const files: SourceFile[] = [...database, ...segments, ...waiting];
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

/** Resolves to the payload files of the enqueued tasks in the copy. */
async function copyDatabase({
  state,
  batch,
  folder,
  copyName,
  payloads,
  clock,
}: SnapshotOptions): Promise<SourceFile[]> {
  const { waiting, changes } = await tasksOfCopy(state.view, batch, clock());
  await copyStore(state.view, folder.pathOf(copyName), {
    isWanted: isCopied,
    changes,
    onEntries: (count) => {
      batch.progress.throwIfCanceled();
      batch.progress.advance(count);
    },
  });
  return waiting.map(({ name }) => ({ name: `spool/${name}`, source: payloads.pathOf(name) }));
}

function filesOfIndex(
  { uid, id, segments }: IndexManifest,
  { locate, damageOf }: SnapshotOptions,
): SourceFile[] {
  throwIfDamaged(uid, damageOf(id), ' and cannot be part of a snapshot');
  const folder = locate(id);
  return fileNamesOf(segments).map((name) => ({
    name: `indexes/${id}/${name}`,
    source: path.join(folder, name),
  }));
}
