/** The state that a backup holds while it is written. */
import { expect, it, vi } from 'vitest';
import { type BackupSources, holdState } from '../../../../src/dumps/write/held-state.ts';

it('lets go of the database also when the removal of a payload fails', async () => {
  const [unpin, close] = [vi.fn(), vi.fn(async () => undefined)];
  const sources: Partial<BackupSources> = {
    store: { view: () => ({ close }) } as never,
    catalog: { all: () => [].values() },
    obsolete: { pin: () => unpin },
    payloads: {
      hold: () => () => {
        throw new Error('the disk cannot be written');
      },
    } as never,
    keys: () => [],
    searchRules: () => [],
    instanceState: () => ({}) as never,
    webhooks: () => [],
  };
  const held = holdState(sources as BackupSources);
  await expect(held.release()).rejects.toThrow('the disk cannot be written');
  expect([unpin.mock.calls.length, close.mock.calls.length]).toEqual([1, 1]);
});
