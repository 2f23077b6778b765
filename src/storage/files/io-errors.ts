/**
 * Maps system errors of files to codes of the error table, so that a full disk is reported as one.
 */
import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';

export const DISK_FULL = 'The disk of the data folder is full; free some space';
const MANY_FILES = 'Too many files are open; raise the limit of open files (`ulimit -n`)';

/** Codes of the error table, and advice for the user. */
const known: Readonly<Record<string, readonly [code: ErrorCode, advice: string]>> = {
  ENOSPC: ['no_space_left_on_device', DISK_FULL],
  EDQUOT: ['no_space_left_on_device', DISK_FULL],
  EIO: ['io_error', 'The disk cannot be read or written; the log of the system may say why'],
  EMFILE: ['too_many_open_files', MANY_FILES],
  ENFILE: ['too_many_open_files', MANY_FILES],
};

export function errnoOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** For `catch`: null if a file does not exist. @throws every other error */
export function nullIfMissing(error: unknown): null {
  if (errnoOf(error) === 'ENOENT') return null;
  throw error;
}

/** An `ApiError` when the table has a code for the cause; else the error unchanged. */
export function toStorageError(error: unknown): unknown {
  const found = known[errnoOf(error) ?? ''];
  if (found === undefined) return error;
  const [code, advice] = found;
  return new ApiError(code, `${advice} (${(error as Error).message}).`, { cause: error });
}
