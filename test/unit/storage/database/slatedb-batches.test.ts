/** Write batches of SlateDB that are filled by direct calls. */
import { describe, expect, it } from 'vitest';
import type { NativeFunction } from '../../../../src/storage/database/native-calls.ts';
import {
  type StructCalls,
  withDirectBatches,
} from '../../../../src/storage/database/slatedb-batches.ts';

const CONSTRUCTOR = 'uniffi_slatedb_uniffi_fn_constructor_writebatch_new';

/** A native library that notes the calls which fill batches. */
function fakeCalls() {
  const seen: unknown[] = [];
  const failing = { name: '' };
  let handles = 0;
  const func = (name: string): NativeFunction => {
    const call = (...parameters: readonly unknown[]): unknown => {
      if (name === CONSTRUCTOR) return ++handles;
      if (name.endsWith('clone_writebatch')) return `clone of ${parameters[0]}`;
      const status = parameters.at(-1) as Buffer;
      if (name === failing.name) status[0] = 1;
      if (name.endsWith('from_bytes')) {
        const { len, data } = parameters[0] as { readonly len: number; readonly data: Buffer };
        return data.subarray(0, len).toString('hex').slice(0, 20);
      }
      seen.push([name.split('_').at(-1), ...parameters.slice(0, -1)]);
      return undefined;
    };
    return Object.assign(call, { async: () => undefined });
  };
  const calls: StructCalls = { load: () => ({ func }), struct: (members) => members };
  const load = async () => {
    const library = calls.load('library.so');
    const create = library.func(CONSTRUCTOR);
    class WriteBatch {
      constructor() {
        create();
      }
      put(_key: Uint8Array, _value: Uint8Array): void {
        seen.push('put of the library');
      }
      delete(_key: Uint8Array): void {
        seen.push('delete of the library');
      }
    }
    return { WriteBatch };
  };
  return { calls, load, seen, failing };
}

describe('a write batch', () => {
  it('passes keys and values with their lengths, to its own handle', async () => {
    const { calls, load, seen } = fakeCalls();
    const before = calls.load;
    const { WriteBatch } = await withDirectBatches(calls, load);
    expect(calls.load).toBe(before);
    const [first, second] = [new WriteBatch(), new WriteBatch()];
    second.delete(Uint8Array.from([7]));
    first.put(Uint8Array.from([1, 2]), new Uint8Array(1 << 18).fill(9));
    expect(seen).toEqual([
      ['delete', 'clone of 2', '0000000107'],
      ['put', 'clone of 1', '000000020102', '00040000090909090909'],
    ]);
  });

  it('throws when the library refuses an operation, and works after that', async () => {
    const { calls, load, seen, failing } = fakeCalls();
    const { WriteBatch } = await withDirectBatches(calls, load);
    const batch = new WriteBatch();
    failing.name = 'uniffi_slatedb_uniffi_fn_method_writebatch_delete';
    expect(() => batch.delete(Uint8Array.from([1]))).toThrow('refused');
    failing.name = '';
    batch.delete(Uint8Array.from([1]));
    expect(seen).toHaveLength(2);
  });
});
