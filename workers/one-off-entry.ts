/** Runs one job in a process. On failure, sends the reason to the parent in one line. */
import type { Config } from '../config/load.ts';
import { ApiError } from '../src/core/errors.ts';
import { DumpRefused } from '../src/dumps/format/dump.ts';
import type { Logger } from '../src/observability/logger.ts';
import type { ChildMessage } from '../src/runtime/lifecycle-protocol.ts';
import { ArchiveRefused } from '../src/storage/backups/archive.ts';
import { DataFolderRefused } from '../src/storage/data-folder/data-folder-check.ts';
import { toStorageError } from '../src/storage/files/io-errors.ts';
import { inheritedStart } from './child-entry.ts';

interface OneOffEntry {
  /** Name in the log and in process lists. */
  readonly name: string;
  /** Consequence of a failure, such as "nothing was imported". */
  readonly consequence: string;
  readonly run: (config: Config, log: Logger) => Promise<void>;
}

/** Errors that the user can fix are logged without a stack. */
const REFUSALS = [ArchiveRefused, DataFolderRefused, DumpRefused, ApiError];

function tellFailure(failure: unknown, { name, consequence }: OneOffEntry, log: Logger) {
  const error = toStorageError(failure);
  const isExpected = REFUSALS.some((refusal) => error instanceof refusal);
  if (!isExpected) log.error({ err: error }, `the ${name} failed`);
  const reason = error instanceof Error ? error.message : String(error);
  const message: ChildMessage = { kind: 'failed', message: `${consequence}: ${reason}` };
  return new Promise<void>((resolve) => {
    if (process.send === undefined) resolve();
    else process.send(message, undefined, undefined, () => resolve());
  });
}

/** Ends the process. */
export async function runOnce(entry: OneOffEntry): Promise<void> {
  const { name, run } = entry;
  process.title = `gannet ${name}`;
  process.on('disconnect', () => process.exit(1));
  const { config, log } = inheritedStart(name);
  try {
    await run(config, log);
    process.exit(0);
  } catch (error) {
    await tellFailure(error, entry, log);
    process.exit(1);
  }
}
