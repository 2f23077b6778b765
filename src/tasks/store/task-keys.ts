/** Keys of tasks and batches in the key-value store. */
import { decodeKey, encodeKey, keyRange } from '../../storage/database/key-encoding.ts';
import type { KeyValueReader } from '../../storage/database/key-value-store.ts';

export const rowKey = (uid: number): Uint8Array => encodeKey('row', uid);
export const blockKey = (block: number): Uint8Array => encodeKey('rowBlock', block);
export const taskKey = (uid: number): Uint8Array => encodeKey('task', uid);
export const payloadKey = (uid: number): Uint8Array => encodeKey('payload', uid);
export const batchKey = (uid: number): Uint8Array => encodeKey('batch', uid);

export function uidOfKey(key: Uint8Array): number {
  const uid = decodeKey(key)[1];
  if (typeof uid !== 'number') throw new Error('a task key without a number');
  return uid;
}

/** The greatest number of the keys of a kind; −1 if there is none. */
export async function lastNumber(
  reader: KeyValueReader,
  kind: 'row' | 'rowBlock' | 'batch',
): Promise<number> {
  for await (const { key } of reader.iterate({ ...keyRange(kind), reverse: true, limit: 1 }))
    return uidOfKey(key);
  return -1;
}
