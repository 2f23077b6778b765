/**
 * Outstanding webhook deliveries, durable across restarts. A batch is one entry, written by the
 * batch's commit. Each webhook has its own position in the list of entries. An entry is deleted
 * when all webhooks have passed it. Entries are numbered in commit order, which may differ from
 * batch order.
 *
 * Keys: ("outbox", number) → JSON of the batch's uid, bytes and end; ("outboxBody", number) → the
 * request's body; ("outboxPlace", uuid) → JSON of `next`; ("attempt", uuid, number of the attempt)
 * → JSON of `DeliveryAttempt`.
 */

import { jsonBytes } from '../core/json.ts';
import { partitionPoint } from '../core/partition-point.ts';
import type { Deliveries, DeliveryAttempt } from '../model/webhook.ts';
import { decodeKey, encodeKey, keyRange } from '../storage/database/key-encoding.ts';
import {
  del,
  entriesIn,
  type KeyValueStore,
  put,
  type WriteOperation,
} from '../storage/database/key-value-store.ts';

export interface OutboxEntry {
  readonly number: number;
  readonly batchUid: number;
  readonly bytes: number;
  /** End of the batch in microseconds. */
  readonly finishedAt: number;
}

export interface OutboxLimits {
  readonly entries: number;
  readonly bytes: number;
}

/** Beyond these the oldest entries are dropped. */
export const OUTBOX_LIMITS: OutboxLimits = { entries: 100_000, bytes: 256 * 1024 ** 2 };
const ATTEMPTS_MAX = 100;

interface Follower {
  /** Number of its first undelivered entry. */
  next: number;
  /** Oldest first, with their numbers. */
  readonly attempts: { readonly number: number; readonly attempt: DeliveryAttempt }[];
}

const entryKey = (number: number): Uint8Array => encodeKey('outbox', number);
const bodyKey = (number: number): Uint8Array => encodeKey('outboxBody', number);
const placeKey = (uuid: string): Uint8Array => encodeKey('outboxPlace', uuid);
const attemptKey = (uuid: string, number: number): Uint8Array => encodeKey('attempt', uuid, number);

const fromJson = <T>(bytes: Uint8Array): T => JSON.parse(new TextDecoder().decode(bytes)) as T;

export class Outbox {
  readonly #store: KeyValueStore;
  readonly #limits: OutboxLimits;
  /** By ascending number. */
  readonly #entries: OutboxEntry[] = [];
  readonly #followers = new Map<string, Follower>();
  #bytes = 0;
  #end = 0;
  #staged: OutboxEntry | null = null;

  private constructor(store: KeyValueStore, limits: OutboxLimits) {
    this.#store = store;
    this.#limits = limits;
  }

  /** @param uuids existing webhooks; a new one receives only later batches */
  static async open(
    store: KeyValueStore,
    uuids: readonly string[],
    limits = OUTBOX_LIMITS,
  ): Promise<Outbox> {
    const outbox = new Outbox(store, limits);
    await outbox.#load(new Set(uuids));
    return outbox;
  }

  get hasFollowers(): boolean {
    return this.#followers.size > 0;
  }

  /** The webhook receives every batch staged from now on. */
  async follow(uuid: string): Promise<void> {
    const follower = { next: this.#end, attempts: [] };
    this.#followers.set(uuid, follower);
    await this.#store.write([this.#place(uuid, follower)]);
  }

  async unfollow(uuid: string): Promise<void> {
    const follower = this.#followers.get(uuid);
    if (follower === undefined) return;
    this.#followers.delete(uuid);
    const attempts = follower.attempts.map(({ number }) => del(attemptKey(uuid, number)));
    await this.#store.write([del(placeKey(uuid)), ...attempts, ...this.#removePassed()]);
  }

  /**
   * Returns the operations that add a batch as an entry; they belong into its commit, followed by
   * `committed`. @param dropped returns the attempt that is recorded for each entry dropped to make
   * room
   */
  stage(
    batch: Pick<OutboxEntry, 'batchUid' | 'finishedAt'>,
    body: Uint8Array,
    dropped: (batchUid: number) => DeliveryAttempt,
  ): WriteOperation[] {
    const facts = { ...batch, bytes: body.length };
    const operations = this.#makeRoom(body.length, dropped);
    const number = this.#end++;
    this.#staged = { number, ...facts };
    operations.push(put(entryKey(number), jsonBytes(facts)), put(bodyKey(number), body));
    return operations;
  }

  /** Called when the staged entry is durable. */
  committed(): void {
    if (this.#staged === null) return;
    this.#entries.push(this.#staged);
    this.#bytes += this.#staged.bytes;
    this.#staged = null;
  }

  next(uuid: string): OutboxEntry | null {
    const follower = this.#followers.get(uuid);
    if (follower === undefined) return null;
    return this.#entries[this.#positionOf(follower.next)] ?? null;
  }

  /** null if the entry is deleted. */
  body({ number }: OutboxEntry): Promise<Uint8Array | null> {
    return this.#store.get(bodyKey(number));
  }

  /**
   * Records an attempt and, unless it is retried, moves the webhook to the next entry. A power cut
   * may undo this; the batch is then delivered again.
   */
  async note(uuid: string, { number }: OutboxEntry, attempt: DeliveryAttempt): Promise<void> {
    const follower = this.#followers.get(uuid);
    if (follower === undefined) return;
    const operations = this.#noteAttempt(uuid, follower, attempt);
    if (attempt.result !== 'failed') {
      follower.next = number + 1;
      operations.push(this.#place(uuid, follower), ...this.#removePassed());
    }
    await this.#store.write(operations, 'process');
  }

  deliveries(uuid: string): Deliveries {
    const follower = this.#followers.get(uuid);
    if (follower === undefined) return { attempts: [], waiting: 0 };
    const attempts = follower.attempts.map(({ attempt }) => attempt).reverse();
    return { attempts, waiting: this.#entries.length - this.#positionOf(follower.next) };
  }

  async #load(uuids: ReadonlySet<string>): Promise<void> {
    const [entries, places, attempts] = await Promise.all([
      entriesIn(this.#store, keyRange('outbox')),
      entriesIn(this.#store, keyRange('outboxPlace')),
      entriesIn(this.#store, keyRange('attempt')),
    ]);
    for (const { key, value } of entries) {
      const number = Number(decodeKey(key)[1]);
      const facts = fromJson<Omit<OutboxEntry, 'number'>>(value);
      this.#entries.push({ number, ...facts });
      this.#bytes += facts.bytes;
      this.#end = number + 1;
    }
    const operations: WriteOperation[] = [];
    for (const { key, value } of places) {
      const uuid = String(decodeKey(key)[1]);
      const { next } = fromJson<{ readonly next: number }>(value);
      this.#end = Math.max(this.#end, next);
      if (uuids.has(uuid)) this.#followers.set(uuid, { next, attempts: [] });
      else operations.push(del(key));
    }
    for (const { key, value } of attempts) {
      const [, uuid, number] = decodeKey(key);
      const follower = this.#followers.get(String(uuid));
      if (follower === undefined) operations.push(del(key));
      else follower.attempts.push({ number: Number(number), attempt: fromJson(value) });
    }
    for (const uuid of uuids) {
      if (this.#followers.has(uuid)) continue;
      const follower = { next: this.#end, attempts: [] };
      this.#followers.set(uuid, follower);
      operations.push(this.#place(uuid, follower));
    }
    operations.push(...this.#removePassed());
    if (operations.length > 0) await this.#store.write(operations);
  }

  #place(uuid: string, { next }: Follower): WriteOperation {
    return put(placeKey(uuid), jsonBytes({ next }));
  }

  #noteAttempt(uuid: string, { attempts }: Follower, attempt: DeliveryAttempt): WriteOperation[] {
    const number = (attempts.at(-1)?.number ?? 0) + 1;
    attempts.push({ number, attempt });
    const old = attempts.length > ATTEMPTS_MAX ? attempts.shift() : undefined;
    return [
      put(attemptKey(uuid, number), jsonBytes(attempt)),
      ...(old === undefined ? [] : [del(attemptKey(uuid, old.number))]),
    ];
  }

  /** Drops the oldest entries until one more of this size fits. */
  #makeRoom(bytes: number, dropped: (batchUid: number) => DeliveryAttempt): WriteOperation[] {
    const operations: WriteOperation[] = [];
    const { entries: entriesMax, bytes: bytesMax } = this.#limits;
    while (this.#entries.length >= entriesMax || this.#bytes + bytes > bytesMax) {
      const oldest = this.#entries[0];
      if (oldest === undefined) break;
      for (const [uuid, follower] of this.#followers) {
        if (follower.next <= oldest.number)
          operations.push(...this.#noteAttempt(uuid, follower, dropped(oldest.batchUid)));
      }
      operations.push(...this.#removeFirst(1));
    }
    return operations;
  }

  #removePassed(): WriteOperation[] {
    let first = this.#end;
    for (const { next } of this.#followers.values()) first = Math.min(first, next);
    return this.#removeFirst(this.#positionOf(first));
  }

  #removeFirst(count: number): WriteOperation[] {
    return this.#entries.splice(0, count).flatMap(({ number, bytes }) => {
      this.#bytes -= bytes;
      return [del(entryKey(number)), del(bodyKey(number))];
    });
  }

  /** Position of the first entry with this number or a later one. */
  #positionOf(number: number): number {
    const entries = this.#entries;
    return partitionPoint(0, entries.length, (at) => (entries[at]?.number ?? 0) < number);
  }
}
