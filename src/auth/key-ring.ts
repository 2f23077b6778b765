/** The API keys in a front: found by uid or by value, updated by events of the indexer. */

import { createHmac } from 'node:crypto';
import { Replay } from '../core/replay.ts';
import { parseUuid } from '../core/uuid.ts';
import { type Action, expandActions } from '../model/actions.ts';
import type { ApiKey } from '../model/api-key.ts';
import { matcherOf } from '../model/index-uid-pattern.ts';
import { secretDigest } from './secret-digest.ts';

export interface HeldKey {
  readonly record: ApiKey;
  /** The value that callers send. */
  readonly value: string;
  /** The value under the former master key, while that is valid. */
  readonly formerValue: string | null;
  readonly actions: ReadonlySet<Action>;
  readonly reaches: (indexUid: string) => boolean;
  /** True if it is limited to some indexes, possibly none. */
  readonly isRestricted: boolean;
  /** Epoch milliseconds. */
  readonly expiresAtMs: number;
  /** Filter of every search, in JSON form; null = none. */
  readonly searchFilter: unknown;
}

const byDateDescending = ({ record: a }: HeldKey, { record: b }: HeldKey): number => {
  if (a.createdAt !== b.createdAt) return a.createdAt > b.createdAt ? -1 : 1;
  return a.uid < b.uid ? -1 : 1;
};

export class KeyRing {
  readonly #masterKey: string | null;
  readonly #formerMasterKey: string | null;
  readonly #byUid = new Map<string, HeldKey>();
  readonly #uidByDigest = new Map<string, string>();
  readonly #replay = new Replay();

  /**
   * Without a master key no key has a value. @param formerMasterKey values under this master key
   * are valid too
   */
  constructor(masterKey: string | null, formerMasterKey: string | null = null) {
    this.#masterKey = masterKey;
    this.#formerMasterKey = formerMasterKey;
  }

  /** Until `endReplay` the indexer sends every existing key. */
  beginReplay(): void {
    this.#replay.begin();
  }

  /** Removes keys that were not sent since `beginReplay`. */
  endReplay(): void {
    for (const uid of this.#replay.end(this.#byUid.keys())) this.remove(uid);
  }

  publish(record: ApiKey): void {
    const held = this.#hold(record);
    this.#byUid.set(record.uid, held);
    for (const value of valuesOf(held)) this.#uidByDigest.set(secretDigest(value), record.uid);
    this.#replay.name(record.uid);
  }

  remove(uid: string): void {
    const held = this.#byUid.get(uid);
    if (held === undefined) return;
    this.#byUid.delete(uid);
    for (const value of valuesOf(held)) this.#uidByDigest.delete(secretDigest(value));
  }

  byUid(uid: string): HeldKey | undefined {
    return this.#byUid.get(uid);
  }

  /** @param digest of the value, by `secretDigest` */
  byDigest(digest: string): HeldKey | undefined {
    const uid = this.#uidByDigest.get(digest);
    return uid === undefined ? undefined : this.#byUid.get(uid);
  }

  byUidOrValue(text: string): HeldKey | undefined {
    const uid = parseUuid(text);
    return (uid === null ? undefined : this.#byUid.get(uid)) ?? this.byDigest(secretDigest(text));
  }

  /** Newest first. */
  list(): readonly HeldKey[] {
    return [...this.#byUid.values()].sort(byDateDescending);
  }

  /** The value of a key with this uid, existing or not; empty without a master key. */
  valueOf(uid: string): string {
    return this.#masterKey === null ? '' : valueUnder(this.#masterKey, uid);
  }

  #hold(record: ApiKey): HeldKey {
    const isRestricted = !record.indexes.includes('*');
    return {
      record,
      value: this.valueOf(record.uid),
      formerValue:
        this.#formerMasterKey === null ? null : valueUnder(this.#formerMasterKey, record.uid),
      actions: expandActions(record.actions, isRestricted),
      reaches: matcherOf(record.indexes),
      isRestricted,
      expiresAtMs:
        record.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(record.expiresAt),
      searchFilter: null,
    };
  }
}

const valueUnder = (masterKey: string, uid: string): string =>
  createHmac('sha256', masterKey).update(uid).digest('hex');

/** The values that authenticate as this key. */
export const valuesOf = ({
  value,
  formerValue,
}: Pick<HeldKey, 'value' | 'formerValue'>): string[] =>
  [value, formerValue ?? ''].filter((each) => each !== '');
