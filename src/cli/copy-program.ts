/** Copies of whole instances, by a program that is loaded when a command needs it. */
import { counted } from '../core/counted.ts';
import { humanSize } from '../core/human-size.ts';
import { DataFolderRefused } from '../storage/data-folder/data-folder-check.ts';
import { ObjectStoreError } from '../storage/object-store/object-store.ts';
import type { CommandCall } from './command.ts';
import { CommandFailure } from './command-failure.ts';
import { ownEntries } from './own-entries.ts';

export interface CopyRequest {
  /** A data folder or the URL of a store. */
  readonly from: string;
  /** Copies this snapshot of the store `from`, or the newest; otherwise its present state. */
  readonly snapshot?: string | 'newest';
  /** A new data folder, or the URL of a store without objects. */
  readonly to: string;
  readonly env: CommandCall['env'];
  readonly onProgress: (line: string) => void;
}

interface CopyReport {
  readonly files: number;
  readonly bytes: number;
  readonly entries: number;
  readonly entriesSha256: string;
}

interface CopyProgram {
  copy(request: CopyRequest): Promise<CopyReport>;
}

const EXPECTED = new Set([
  'CopyFailed',
  'SlateDbMissing',
  ObjectStoreError.name,
  DataFolderRefused.name,
]);

/** @throws CommandFailure */
export async function runCopy(
  { terminal, env }: CommandCall,
  request: Pick<CopyRequest, 'from' | 'snapshot' | 'to'>,
): Promise<void> {
  const { copy } = (await import(ownEntries.copyInstance.href)) as CopyProgram;
  const onProgress = (line: string): void => terminal.progress(line);
  const report = await copy({ ...request, env, onProgress }).catch((error: unknown) => {
    throw error instanceof Error && EXPECTED.has(error.name)
      ? new CommandFailure(error.message)
      : error;
  });
  terminal.progress(null);
  const { files, bytes, entries, entriesSha256 } = report;
  terminal.print(
    `copied and checked: ${counted(files, 'file')} with ${humanSize(bytes)}, ${counted(entries, 'entry', 'entries')} of the database with SHA-256 ${entriesSha256}`,
  );
  terminal.json({ ...request, ...report });
}
