/**
 * Start here: webhooks, from creation to deliveries. A batch enters the outbox with its own commit;
 * a sender per webhook delivers it.
 */
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { type Clock, formatDate } from '../core/clock.ts';
import type { SendRequest } from '../http-client/outgoing-http.ts';
import type { Changed } from '../model/secret-origin.ts';
import type { TaskRecord } from '../model/task.ts';
import type { Deliveries, DeliveryAttempt, Webhook, WebhookChange } from '../model/webhook.ts';
import type { Logger } from '../observability/logger.ts';
import type { KeyValueStore, WriteOperation } from '../storage/database/key-value-store.ts';
import { Outbox } from './outbox.ts';
import { DELIVERY_TIMING, type DeliveryTiming, WebhookSender } from './webhook-sender.ts';
import { WebhookStore } from './webhook-store.ts';

/** Records encoded per turn of the event loop, to keep other work responsive. */
const RECORDS_PER_TURN = 500;

/** The body of a delivery: one task record per line, compressed. */
async function encodeRecords(records: Iterable<TaskRecord>): Promise<Uint8Array> {
  const compressed = Readable.from(pages(records)).pipe(createGzip());
  return Buffer.concat(await compressed.toArray());
}

function* pages(records: Iterable<TaskRecord>): Generator<Buffer> {
  let lines: string[] = [];
  for (const record of records) {
    lines.push(`${JSON.stringify(record)}\n`);
    if (lines.length < RECORDS_PER_TURN) continue;
    yield Buffer.from(lines.join(''));
    lines = [];
  }
  if (lines.length > 0) yield Buffer.from(lines.join(''));
}

export interface WebhooksOptions {
  readonly store: KeyValueStore;
  readonly launch: Webhook | null;
  readonly send: SendRequest;
  readonly timing?: Partial<DeliveryTiming>;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly onFatal: (error: unknown) => void;
}

export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #webhooks: WebhookStore;
  readonly #outbox: Outbox;
  readonly #senders = new Map<string, WebhookSender>();

  private constructor(options: WebhooksOptions, webhooks: WebhookStore, outbox: Outbox) {
    this.#options = options;
    this.#webhooks = webhooks;
    this.#outbox = outbox;
  }

  static async open(options: WebhooksOptions): Promise<Webhooks> {
    const { store, launch } = options;
    const webhooks = await WebhookStore.open(store, launch);
    const uuids = webhooks.all().map(({ uuid }) => uuid);
    return new Webhooks(options, webhooks, await Outbox.open(store, uuids));
  }

  start(): void {
    for (const { uuid } of this.#webhooks.all()) this.#startWebhookSender(uuid);
  }

  /** Undelivered entries are kept. */
  async stop(): Promise<void> {
    await Promise.all([...this.#senders.values()].map((sender) => sender.stop()));
  }

  list(): Webhook[] {
    return this.#webhooks.all();
  }

  /** @throws ApiError `webhook_not_found` */
  get(uuid: string): Webhook {
    return this.#webhooks.get(uuid);
  }

  async create(draft: Webhook): Promise<Webhook> {
    const webhook = await this.#webhooks.create(draft);
    await this.#outbox.follow(webhook.uuid);
    this.#startWebhookSender(webhook.uuid);
    return webhook;
  }

  async update(change: WebhookChange): Promise<Changed<Webhook>> {
    const changed = await this.#webhooks.update(change);
    this.#senders.get(changed.value.uuid)?.retryNow();
    return changed;
  }

  /** Nothing is sent afterwards. @throws ApiError like `WebhookStore.delete` */
  async delete(uuid: string): Promise<void> {
    await this.#webhooks.delete(uuid);
    await this.#senders.get(uuid)?.stop();
    this.#senders.delete(uuid);
    await this.#outbox.unfollow(uuid);
  }

  /** @throws ApiError `webhook_not_found` */
  deliveries(uuid: string): Deliveries {
    return this.#outbox.deliveries(this.get(uuid).uuid);
  }

  /**
   * The operations for a batch's commit; `committed` follows. @param records all tasks that the
   * batch ends; not called without a webhook
   */
  async stage(
    batchUid: number,
    finishedAt: number,
    records: () => Iterable<TaskRecord>,
  ): Promise<WriteOperation[]> {
    if (!this.#outbox.hasFollowers) return [];
    const body = await encodeRecords(records());
    return this.#outbox.stage({ batchUid, finishedAt }, body, (dropped) =>
      this.#drop(dropped, finishedAt),
    );
  }

  /** Called when the staged entry is durable. */
  committed(): void {
    this.#outbox.committed();
    for (const sender of this.#senders.values()) sender.wake();
  }

  #startWebhookSender(uuid: string): void {
    const { send, timing, clock, log, onFatal } = this.#options;
    const sender = new WebhookSender(uuid, {
      webhook: () => this.#webhooks.find(uuid),
      outbox: this.#outbox,
      timing: { ...DELIVERY_TIMING, ...timing },
      send,
      clock,
      log,
      onFatal,
    });
    this.#senders.set(uuid, sender);
    sender.wake();
  }

  #drop(batchUid: number, nowMicros: number): DeliveryAttempt {
    const error = 'More batches waited for the target than are kept.';
    this.#options.log.warn(`batch ${batchUid} is dropped for webhooks that have not received it`);
    return {
      batchUid,
      attempt: 0,
      startedAt: formatDate(nowMicros),
      duration: null,
      result: 'dropped',
      status: null,
      error,
      nextAttemptAt: null,
    };
  }
}
