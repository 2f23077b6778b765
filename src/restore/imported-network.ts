/** The network of a dump: the instances that searches of the new server may ask. */

import { NetworkStore } from '../catalog/network-store.ts';
import { ApiError } from '../core/errors.ts';
import { type Json, objectOf } from '../core/json.ts';
import { createTimeOrderedUids } from '../core/time-ordered-uid.ts';
import { validate } from '../http/validator.ts';
import { NetworkUpdate } from '../model/schemas/network-schema.ts';
import type { Logger } from '../observability/logger.ts';
import type { KeyValueStore } from '../storage/database/key-value-store.ts';

/** Another instance has the dump's name, so it is left out; what is no network is named. */
export async function importNetwork(
  { remotes, shards }: Json,
  store: KeyValueStore,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const given = Object.entries(objectOf(remotes)).map(([name, remote]) => {
    const { url, searchApiKey = null, writeApiKey = null } = objectOf(remote);
    return [name, { url: url ?? null, searchApiKey, writeApiKey }] as const;
  });
  const update: unknown = { remotes: Object.fromEntries(given), shards: shards ?? null };
  try {
    validate(NetworkUpdate, update);
    const network = await NetworkStore.load(store, createTimeOrderedUids(Date.now));
    await network.update(update as NetworkUpdate);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    log.warn(`the network of the dump is left out: ${error.message}`);
  }
}
