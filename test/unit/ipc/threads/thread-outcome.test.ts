/** Errors of a thread on their way to the caller. */
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../../src/core/errors.ts';
import { valueOfOutcome, withOutcome } from '../../../../src/ipc/threads/thread-outcome.ts';
import { toStorageError } from '../../../../src/storage/files/io-errors.ts';

/** As the thread's answer arrives. */
const arrived = async (work: () => Promise<string>): Promise<string> =>
  valueOfOutcome(structuredClone(await withOutcome(work, toStorageError)(undefined)));

describe('the outcome of a task of a thread', () => {
  it('is its value', async () => {
    expect(await arrived(async () => 'done')).toBe('done');
  });

  it('is an error with its code, of the system too', async () => {
    const refused = arrived(() => Promise.reject(new ApiError('index_not_found', 'none')));
    await expect(refused).rejects.toMatchObject({ code: 'index_not_found', message: 'none' });
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
    });
    await expect(arrived(() => Promise.reject(full))).rejects.toMatchObject({
      code: 'no_space_left_on_device',
      message:
        'The disk of the data folder is full; free some space (ENOSPC: no space left on device, write).',
    });
  });

  it('is no outcome for an unexpected error', async () => {
    const bug = new TypeError('a bug');
    await expect(withOutcome(() => Promise.reject(bug), toStorageError)(undefined)).rejects.toBe(
      bug,
    );
  });
});
