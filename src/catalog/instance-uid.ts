/**
 * Identifies this instance as long as its data exists, through restarts, dumps and snapshots:
 * ("meta", "instanceUid") → UUID as text.
 */
import { encodeKey } from '../storage/database/key-encoding.ts';
import {
  type KeyValueStore,
  put,
  type WriteOperation,
} from '../storage/database/key-value-store.ts';

const KEY = encodeKey('meta', 'instanceUid');

/** null before the first start. */
export async function readInstanceUid(store: Pick<KeyValueStore, 'get'>): Promise<string | null> {
  const value = await store.get(KEY);
  return value === null ? null : new TextDecoder().decode(value);
}

export const storeInstanceUid = (uid: string): WriteOperation =>
  put(KEY, new TextEncoder().encode(uid));

/** The stored uid; creates and stores one if there is none. */
export async function keepInstanceUid(
  store: KeyValueStore,
  createUid: () => string,
): Promise<string> {
  const known = await readInstanceUid(store);
  if (known !== null) return known;
  const uid = createUid();
  await store.write([storeInstanceUid(uid)]);
  return uid;
}
