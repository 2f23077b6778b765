/** The memory of compiled kernels: it gets larger without anything being taken away from views of it. */
import { expect, it } from 'vitest';
import { CHECKSUM_KERNELS_BASE64 } from '../../../../src/engine/bytes/compiled-kernels.ts';
import { KernelSpace } from '../../../../src/engine/bytes/kernel-space.ts';

it('keeps what it held, and its views their memory, when it gets larger', () => {
  const space = new KernelSpace<{ fold(at: number, blocks: number): void }>(
    CHECKSUM_KERNELS_BASE64,
  );
  const { words, bytes } = space;
  words.set([1, 2, 3], 5);
  const [first, second] = space.areas([bytes.length, 100]);
  expect([first, second]).toEqual([0, bytes.length]);
  expect(space.bytes.length).toBeGreaterThanOrEqual(bytes.length * 2);
  expect([...space.words.subarray(5, 8)]).toEqual([1, 2, 3]);
  // A view whose memory was taken away has no length.
  expect(words.length * 4).toBe(bytes.length);
  expect(bytes.length).toBeGreaterThan(0);
  // The kernels work in what is shown: to a block the one 65 places before it is added.
  const block = 300 * 4;
  space.words.set([1, 2, 3, 4], block - 65 * 4);
  space.run.fold(block * 4, 1);
  expect([...space.words.subarray(block, block + 4)]).toEqual([1, 2, 3, 4]);
});
