/**
 * System errors of files in the words of the error table, so that a full disk is reported as one.
 */
import { ApiError } from '../core/errors.ts';

const codes = {
  ENOSPC: 'no_space_left_on_device',
  EDQUOT: 'no_space_left_on_device',
  EIO: 'io_error',
  EMFILE: 'too_many_open_files',
  ENFILE: 'too_many_open_files',
} as const;

export function errnoOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** The error as `ApiError` when the table has a code for its cause; else the error as it is. */
export function toStorageError(error: unknown): unknown {
  const errno = errnoOf(error);
  if (errno === null || !(errno in codes)) return error;
  return new ApiError(codes[errno as keyof typeof codes], (error as Error).message, {
    cause: error,
  });
}
