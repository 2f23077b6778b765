/**
 * What webhooks are still to be told, kept across restarts. A batch is one entry, written by the
 * batch's own commit; each webhook has a place in the list of entries and moves on by itself. An
 * entry that all have passed goes. Entries are numbered in the order of the commits, which need not
 * be that of the batches.
 *
 * Keys: ("outbox", number) → JSON of the batch's uid, bytes and end; ("outboxBody", number) → the
 * request's body; ("outboxPlace", uuid) → JSON of `next`; ("attempt", uuid, number of the attempt) →
 * JSON of `DeliveryAttempt`.
 */
import type { Deliveries, DeliveryAttempt } from '../model/webhook.ts';
import { decodeKey, encodeKey, keyRange } from '../storage/database/key-encoding.ts';
import {
  del,
  type KeyValueStore,
  put,
  type WriteOperation,
} from '../storage/database/key-value-store.ts';

export interface OutboxEntry {
  readonly number: number;
  readonly batchUid: number;
  readonly bytes: number;
  /** Of the batch, in microseconds. */
  readonly finishedAt: number;
}

export interface OutboxLimits {
  readonly entries: number;
  readonly bytes: number;
}

/** Beyond these the oldest entries are dropped. */
export const OUTBOX_LIMITS: OutboxLimits = { entries: 100_000, bytes: 256 * 1024 ** 2 };
/** Kept of each webhook. */
const ATTEMPTS_MAX = 100;

interface Follower {
  /** Number of the first entry that it is still to be told. */
  next: number;
  /** Oldest first, with their numbers. */
  readonly attempts: { readonly number: number; readonly attempt: DeliveryAttempt }[];
}

const entryKey = (number: number): Uint8Array => encodeKey('outbox', number);
const bodyKey = (number: number): Uint8Array => encodeKey('outboxBody', number);
const placeKey = (uuid: string): Uint8Array => encodeKey('outboxPlace', uuid);
const attemptKey = (uuid: string, number: number): Uint8Array => encodeKey('attempt', uuid, number);

const toJson = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const fromJson = <T>(bytes: Uint8Array): T => JSON.parse(new TextDecoder().decode(bytes)) as T;

export class Outbox {
  readonly #store: KeyValueStore;
  readonly #limits: OutboxLimits;
  /** By ascending number. */
  readonly #entries: OutboxEntry[] = [];
  readonly #followers = new Map<string, Follower>();
  #bytes = 0;
  /** Number of the next entry. */
  #end = 0;
  #staged: OutboxEntry | null = null;

  private constructor(store: KeyValueStore, limits: OutboxLimits) {
    this.#store = store;
    this.#limits = limits;
  }

  /** @param uuids of the webhooks that exist; one that is new is told of later batches only */
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

  /** The webhook is told of every batch that is staged from now on. */
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
   * Makes a batch an entry: the operations belong into its commit, after which `committed` is
   * called. @param dropped an attempt for entries that make room, which is noted
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
    operations.push(put(entryKey(number), toJson(facts)), put(bodyKey(number), body));
    return operations;
  }

  /** What was staged is durable. */
  committed(): void {
    if (this.#staged === null) return;
    this.#entries.push(this.#staged);
    this.#bytes += this.#staged.bytes;
    this.#staged = null;
  }

  /** The oldest entry that the webhook has still to be told of. */
  next(uuid: string): OutboxEntry | null {
    const follower = this.#followers.get(uuid);
    if (follower === undefined) return null;
    return this.#entries[this.#positionOf(follower.next)] ?? null;
  }

  /** null when the entry is gone. */
  body({ number }: OutboxEntry): Promise<Uint8Array | null> {
    return this.#store.get(bodyKey(number));
  }

  /**
   * Notes an attempt, and unless it is to be repeated, that the webhook has moved on. A power cut may
   * take that back: the batch is then told again.
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
    for await (const { key, value } of this.#store.iterate(keyRange('outbox'))) {
      const number = Number(decodeKey(key)[1]);
      const facts = fromJson<Omit<OutboxEntry, 'number'>>(value);
      this.#entries.push({ number, ...facts });
      this.#bytes += facts.bytes;
      this.#end = number + 1;
    }
    const operations: WriteOperation[] = [];
    for await (const { key, value } of this.#store.iterate(keyRange('outboxPlace'))) {
      const uuid = String(decodeKey(key)[1]);
      const { next } = fromJson<{ readonly next: number }>(value);
      this.#end = Math.max(this.#end, next);
      if (uuids.has(uuid)) this.#followers.set(uuid, { next, attempts: [] });
      else operations.push(del(key));
    }
    for await (const { key, value } of this.#store.iterate(keyRange('attempt'))) {
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
    return put(placeKey(uuid), toJson({ next }));
  }

  #noteAttempt(uuid: string, { attempts }: Follower, attempt: DeliveryAttempt): WriteOperation[] {
    const number = (attempts.at(-1)?.number ?? 0) + 1;
    attempts.push({ number, attempt });
    const old = attempts.length > ATTEMPTS_MAX ? attempts.shift() : undefined;
    return [
      put(attemptKey(uuid, number), toJson(attempt)),
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

  /** Of the first entry with this number or a later one. */
  #positionOf(number: number): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.number ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
