/**
 * API keys in the key-value store: ("key", uid) → JSON of `ApiKey`. Changes are serialised, and
 * durable when they resolve.
 */

import { ApiError } from '../core/errors.ts';
import { jsonBytes } from '../core/json.ts';
import { SerialQueue } from '../core/serial-queue.ts';
import type { ApiKey, ApiKeyChange, ApiKeyDraft, ApiKeyRotation } from '../model/api-key.ts';
import { readStored } from '../model/schemas/stored-schema.ts';
import { encodeKey, keyRange } from '../storage/database/key-encoding.ts';
import {
  del,
  type KeyValueStore,
  put,
  type WriteOperation,
} from '../storage/database/key-value-store.ts';

/** Bytes of all records together, which every front holds in memory. */
const KEYS_BYTES_MAX = 16 * 1024 ** 2;

export interface KeyStoreOptions {
  /** The time as RFC 3339 in UTC with six digits; increases with each call. */
  readonly now: () => string;
  readonly createUid: () => string;
  readonly bytesMax?: number;
}

/** In order of creation; lists show the reverse order. */
const DEFAULT_KEYS: readonly Pick<ApiKey, 'name' | 'description' | 'actions'>[] = [
  {
    name: 'Default Chat API Key',
    description:
      'Chats and searches in all indexes. Fit for use in a front end, behind a limit of your own.',
    actions: ['chatCompletions', 'search'],
  },
  {
    name: 'Default Read-Only Admin API Key',
    description: 'Reads everything, keys included, and changes nothing. Keep it secret.',
    actions: ['*.get', 'keys.get'],
  },
  {
    name: 'Default Admin API Key',
    description: 'May do everything, keys included. Keep it secret and on servers.',
    actions: ['*'],
  },
  {
    name: 'Default Search API Key',
    description: 'Searches all indexes and does nothing else. Fit for use in a front end.',
    actions: ['search'],
  },
];

const rowKey = (uid: string): Uint8Array => encodeKey('key', uid);
export const keyWrite = (key: ApiKey): WriteOperation => put(rowKey(key.uid), jsonBytes(key));
const notFound = (uid: string): ApiError =>
  new ApiError('api_key_not_found', `There is no API key \`${uid}\`.`);

const alreadyExists = (uid: string): ApiError =>
  new ApiError('api_key_already_exists', `There is an API key \`${uid}\` already.`);

interface RotatedKeys {
  readonly replaced: ApiKey;
  readonly created: ApiKey;
}

function changed(key: ApiKey, change: Omit<ApiKeyChange, 'uid'>, updatedAt: string): ApiKey {
  const { requestsPerSecond = key.requestsPerSecond, ...rest } = change;
  const { requestsPerSecond: _, ...same } = key;
  const rate = typeof requestsPerSecond === 'number' ? { requestsPerSecond } : {};
  return { ...same, ...rest, ...rate, updatedAt };
}

export class KeyStore {
  readonly #store: KeyValueStore;
  readonly #options: KeyStoreOptions;
  readonly #keys = new Map<string, { readonly key: ApiKey; readonly bytes: number }>();
  #bytes = 0;
  readonly #changes = new SerialQueue();

  private constructor(store: KeyValueStore, options: KeyStoreOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** A store without keys gets the default ones. */
  static async open(store: KeyValueStore, options: KeyStoreOptions): Promise<KeyStore> {
    const keys = new KeyStore(store, options);
    for await (const { value } of store.iterate(keyRange('key'))) {
      keys.#keep(readStored<ApiKey>('API key', value), value.length);
    }
    if (keys.#keys.size === 0) await keys.#createDefaults();
    return keys;
  }

  *all(): Iterable<ApiKey> {
    for (const { key } of this.#keys.values()) yield key;
  }

  /**
   * Throws `api_key_already_exists`, and `no_space_left_on_device` if all keys together would be
   * too large.
   */
  create(draft: ApiKeyDraft): Promise<ApiKey> {
    return this.#changes.run(() => {
      if (this.#keys.has(draft.uid)) {
        throw alreadyExists(draft.uid);
      }
      const now = this.#options.now();
      return this.#write({ ...draft, createdAt: now, updatedAt: now });
    });
  }

  /** Throws `api_key_not_found`, and `no_space_left_on_device` like `create`. */
  update({ uid, ...change }: ApiKeyChange): Promise<ApiKey> {
    return this.#changes.run(() => {
      const known = this.#keys.get(uid);
      if (known === undefined) throw notFound(uid);
      return this.#write(changed(known.key, change, this.#options.now()));
    });
  }

  /**
   * Creates a key with the same rights and a new uid and value, and sets an expiry date for the old
   * key. Throws like `update`, and `api_key_already_exists`.
   */
  rotate({ uid, newUid, endsAt }: ApiKeyRotation): Promise<RotatedKeys> {
    return this.#changes.run(async () => {
      const known = this.#keys.get(uid);
      if (known === undefined) throw notFound(uid);
      if (this.#keys.has(newUid)) throw alreadyExists(newUid);
      const now = this.#options.now();
      const { expiresAt } = known.key;
      const endsBefore = expiresAt !== null && Date.parse(expiresAt) < Date.parse(endsAt);
      const replaced = { ...known.key, expiresAt: endsBefore ? expiresAt : endsAt, updatedAt: now };
      const created = { ...known.key, uid: newUid, createdAt: now, updatedAt: now };
      await this.#writeAll([replaced, created]);
      return { replaced, created };
    });
  }

  /** Throws `api_key_not_found`. */
  delete(uid: string): Promise<void> {
    return this.#changes.run(async () => {
      const known = this.#keys.get(uid);
      if (known === undefined) throw notFound(uid);
      await this.#store.write([del(rowKey(uid))]);
      this.#keys.delete(uid);
      this.#bytes -= known.bytes;
    });
  }

  async #createDefaults(): Promise<void> {
    const { now, createUid } = this.#options;
    const keys = DEFAULT_KEYS.map((facts): ApiKey => {
      const createdAt = now();
      return {
        ...facts,
        uid: createUid(),
        indexes: ['*'],
        expiresAt: null,
        createdAt,
        updatedAt: createdAt,
      };
    });
    await this.#writeAll(keys);
  }

  async #write(key: ApiKey): Promise<ApiKey> {
    await this.#writeAll([key]);
    return key;
  }

  /** Writes all keys or none. */
  async #writeAll(keys: readonly ApiKey[]): Promise<void> {
    const rows = keys.map((key) => ({ key, bytes: jsonBytes(key) }));
    const growth = rows.reduce(
      (sum, { key, bytes }) => sum + bytes.length - (this.#keys.get(key.uid)?.bytes ?? 0),
      0,
    );
    if (this.#bytes + growth > (this.#options.bytesMax ?? KEYS_BYTES_MAX)) {
      throw new ApiError(
        'no_space_left_on_device',
        'All API keys together take too much room. Delete some of them.',
      );
    }
    await this.#store.write(rows.map(({ key, bytes }) => put(rowKey(key.uid), bytes)));
    for (const { key, bytes } of rows) this.#keep(key, bytes.length);
  }

  #keep(key: ApiKey, bytes: number): void {
    this.#bytes += bytes - (this.#keys.get(key.uid)?.bytes ?? 0);
    this.#keys.set(key.uid, { key, bytes });
  }
}
