/** Start here: a data folder made of a backup. It has its name when all of it is there. */

import { isDumpFile } from '../dumps/v6-layout.ts';
import type { PipelineOptions } from '../indexing/write-pipeline.ts';
import type { Logger } from '../observability/logger.ts';
import { unpackArchive } from '../storage/archive.ts';
import type { ImportSource } from '../storage/import-source.ts';
import { NewDataFolder } from '../storage/new-data-folder.ts';
import { UnpackedDump } from '../storage/unpacked-dump.ts';
import { importDump } from './import-dump.ts';
import { ProgressLines } from './progress-lines.ts';

export interface BeginOptions extends PipelineOptions {
  readonly dbPath: string;
  readonly source: ImportSource;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

const MEGABYTE = 1e6;

/** When it rejects nothing is left. */
export async function beginWith({ dbPath, source, ...options }: BeginOptions): Promise<void> {
  const { log } = options;
  const startMs = performance.now();
  const folder = await NewDataFolder.claim(dbPath);
  try {
    const progress = new ProgressLines(log);
    let unpacked = 0;
    const files = await unpackArchive(source.file, folder.archive, {
      wants: isDumpFile,
      isSynced: false,
      onBytes: (bytes) => {
        unpacked += bytes;
        progress.tell(`unpacking ${source.file}: ${Math.round(unpacked / MEGABYTE)} MB`);
      },
    });
    await importDump({
      ...options,
      files: new UnpackedDump(folder.archive, files),
      folder: folder.data,
      progress,
    });
    await folder.publish();
  } catch (error) {
    folder.abandon();
    throw error;
  }
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  log.info(`${dbPath} was made of the ${source.kind} ${source.file} in ${seconds} s`);
}
