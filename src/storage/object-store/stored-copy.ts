/** The copy of `state-copy.ts` in the object store: `state/<formats>`, replaced from time to time. */
import { COPY_NAME } from '../database/state-copy.ts';
import type { ObjectStore } from './object-store.ts';
import { getSealed, putSealed } from './sealed-objects.ts';

const KEY = `state/${COPY_NAME}`;

/** null if there is none. @throws if it is damaged */
export const readStoredCopy = (objects: ObjectStore): Promise<Uint8Array | null> =>
  getSealed(objects, KEY);

export const writeStoredCopy = (objects: ObjectStore, copy: Uint8Array): Promise<void> =>
  putSealed(objects, KEY, {
    bytes: copy.length,
    async *chunks() {
      yield copy;
    },
  });
