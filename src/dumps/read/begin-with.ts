/** Start here: creates a data folder from a backup. The folder gets its name when it is complete. */

import type { PipelineOptions } from '../../indexing/write-pipeline.ts';
import type { Logger } from '../../observability/logger.ts';
import { ArchiveRefused, type UnpackLimits, unpackArchive } from '../../storage/backups/archive.ts';
import { CHECKSUMS, faultOf, isSnapshotFile } from '../../storage/backups/snapshot-layout.ts';
import { UnpackedDump } from '../../storage/backups/unpacked-dump.ts';
import { checkVersion, isOlder } from '../../storage/data-folder/data-folder-check.ts';
import type { ImportSource } from '../../storage/data-folder/import-source.ts';
import { NewDataFolder } from '../../storage/data-folder/new-data-folder.ts';
import { freeBytesAt } from '../../storage/files/free-bytes.ts';
import { upgradeFolder } from '../../upgrade/upgrade-folder.ts';
import { isDumpFile } from '../format/v6-layout.ts';
import { importDump } from './import-dump.ts';

export interface BeginOptions extends PipelineOptions {
  readonly dbPath: string;
  readonly source: ImportSource;
  /** Limits of the unpacked backup. */
  readonly limits: UnpackLimits;
  /** True: a snapshot of an older format is upgraded. */
  readonly mayUpgrade: boolean;
  /** Version of this program, such as `0.1.0`. */
  readonly release: string;
  /** Closes the embedding cache at `NewDataFolder.embeddingsBeside`. */
  readonly closeEmbeddings: () => Promise<void>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

const MEGABYTE = 1e6;
/** Between two lines of the log about the progress. */
const REPORT_MS = 5000;

/** After a rejection only the cache of embeddings is left. @throws ArchiveRefused, DumpRefused */
export async function beginWith(options: BeginOptions): Promise<void> {
  const { dbPath, source, log, closeEmbeddings } = options;
  const startMs = performance.now();
  const folder = await NewDataFolder.claim(dbPath);
  try {
    if (source.kind === 'dump') await fromDump(folder, options);
    else await fromSnapshot(folder, options);
    await closeEmbeddings();
    await folder.publish();
  } catch (error) {
    await closeEmbeddings();
    folder.abandon();
    throw error;
  }
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  log.info(`${dbPath} was made of the ${source.kind} ${source.file} in ${seconds} s`);
}

async function fromDump(folder: NewDataFolder, options: BeginOptions): Promise<void> {
  const { source, limits } = options;
  const report = reporter(options.log);
  const files = await unpackArchive(source.file, folder.archive, {
    wants: isDumpFile,
    limits,
    isSynced: false,
    onBytes: byteReporter(source.file, report),
  });
  await importDump({
    ...options,
    files: new UnpackedDump(files),
    folder: folder.data,
    report,
  });
}

/** @throws ArchiveRefused, DataFolderRefused for one of another format */
async function fromSnapshot(
  folder: NewDataFolder,
  { source, limits, log, mayUpgrade, release }: BeginOptions,
): Promise<void> {
  const files = await unpackArchive(source.file, folder.data, {
    wants: isSnapshotFile,
    limits,
    isSynced: true,
    onBytes: byteReporter(source.file, reporter(log)),
  });
  if (!files.some(({ name }) => name === CHECKSUMS))
    throw new ArchiveRefused(`${source.file} is no snapshot: it holds no ${CHECKSUMS}`);
  const fault = faultOf(files, folder.take(CHECKSUMS));
  if (fault !== null) throw new ArchiveRefused(`${source.file} ${fault}`);
  const root = folder.data;
  checkVersion(root, { mayBeOlder: mayUpgrade });
  if (isOlder(root))
    await upgradeFolder({ root, log, release, freeBytes: () => freeBytesAt(root) });
}

/** Writes texts about the progress into the log now and then. */
function reporter(log: BeginOptions['log']): (text: string) => void {
  let lastMs = performance.now();
  return (text) => {
    const nowMs = performance.now();
    if (nowMs - lastMs < REPORT_MS) return;
    lastMs = nowMs;
    log.info(text);
  };
}

function byteReporter(file: string, report: (text: string) => void): (bytes: number) => void {
  let unpacked = 0;
  return (bytes) => {
    unpacked += bytes;
    report(`unpacking ${file}: ${Math.round(unpacked / MEGABYTE)} MB`);
  };
}
