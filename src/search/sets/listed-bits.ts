/** Members of bitsets as ascending lists. */
import { isForKernels, threadSetKernels } from '../../engine/sets/set-kernels.ts';
import { TYPED_ARRAY_POOL } from './typed-array-pool.ts';

/**
 * Above this many members per word, the list is built in JavaScript, which bounds the kernels'
 * memory.
 */
const KERNEL_SHARE_MAX = 2;

/** @param count number of bits set */
export function listOf(bits: Uint32Array, count: number): Uint32Array {
  const out = TYPED_ARRAY_POOL.numbers(count);
  if (isForKernels(bits) && count <= KERNEL_SHARE_MAX * bits.length) {
    threadSetKernels().load(bits);
    return threadSetKernels().listTo(out);
  }
  let n = 0;
  for (let i = 0; n < count; i++) {
    for (let word = bits[i]!; word !== 0; word &= word - 1)
      out[n++] = (i << 5) | (31 - Math.clz32(word & -word));
  }
  return out;
}
