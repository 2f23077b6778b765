/**
 * Webhooks in the key-value store: ("webhook", uuid) → JSON of the other members. Changes are
 * serialised, and durable when they resolve. The webhook of the launch options is not stored.
 */

import { ApiError } from '../core/errors.ts';
import { jsonBytes } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { SerialQueue } from '../core/serial-queue.ts';
import { readStored } from '../model/schemas/stored-schema.ts';
import type { Changed } from '../model/secret-origin.ts';
import { LAUNCH_WEBHOOK_UUID, type Webhook, type WebhookChange } from '../model/webhook.ts';
import { changedWebhook, createdWebhook } from '../model/webhook-update.ts';
import { decodeKey, encodeKey, keyRange } from '../storage/database/key-encoding.ts';
import { del, type KeyValueStore, put } from '../storage/database/key-value-store.ts';

const rowKey = (uuid: string): Uint8Array => encodeKey('webhook', uuid);
const toBytes = ({ uuid: _, ...facts }: Webhook): Uint8Array => jsonBytes(facts);

const byUuid = (a: Webhook, b: Webhook): number => (a.uuid < b.uuid ? -1 : 1);

export class WebhookStore {
  readonly #store: KeyValueStore;
  readonly #launch: Webhook | null;
  readonly #stored = new Map<string, Webhook>();
  readonly #changes = new SerialQueue();

  private constructor(store: KeyValueStore, launch: Webhook | null) {
    this.#store = store;
    this.#launch = launch;
  }

  static async open(store: KeyValueStore, launch: Webhook | null = null): Promise<WebhookStore> {
    const webhooks = new WebhookStore(store, launch);
    for await (const { key, value } of store.iterate(keyRange('webhook'))) {
      const uuid = String(decodeKey(key)[1]);
      const facts = readStored<Omit<Webhook, 'uuid'>>('webhook', value);
      webhooks.#stored.set(uuid, { uuid, ...facts });
    }
    return webhooks;
  }

  /** In order of uuid; the webhook of the launch options comes first. */
  all(): Webhook[] {
    return [...(this.#launch === null ? [] : [this.#launch]), ...this.stored()];
  }

  /** Webhooks created by requests, in order of uuid. */
  stored(): Webhook[] {
    return [...this.#stored.values()].sort(byUuid);
  }

  find(uuid: string): Webhook | null {
    return uuid === LAUNCH_WEBHOOK_UUID ? this.#launch : (this.#stored.get(uuid) ?? null);
  }

  /** @throws ApiError `webhook_not_found` */
  get(uuid: string): Webhook {
    const found = this.find(uuid);
    if (found === null) throw new ApiError('webhook_not_found', `There is no webhook \`${uuid}\`.`);
    return found;
  }

  /** @throws ApiError `invalid_webhooks`, `invalid_webhook_url`, `invalid_webhook_headers` */
  create(draft: Webhook): Promise<Webhook> {
    return this.#changes.run(async () => {
      const created = createdWebhook(draft);
      this.#checkCount(1);
      await this.#write([created]);
      return created;
    });
  }

  /**
   * Imports webhooks of another store with their secrets; replaces webhooks of the same uuid.
   * @throws ApiError like `create`; then none is stored
   */
  import(webhooks: readonly Webhook[]): Promise<void> {
    return this.#changes.run(async () => {
      const created = webhooks.map(createdWebhook);
      this.#checkCount(created.filter(({ uuid }) => !this.#stored.has(uuid)).length);
      await this.#write(created);
    });
  }

  /** @throws ApiError `immutable_webhook`, `webhook_not_found`, and like `create` */
  update(change: WebhookChange): Promise<Changed<Webhook>> {
    return this.#changes.run(async () => {
      const changed = changedWebhook(this.#editable(change.uuid), change);
      await this.#write([changed.value]);
      return changed;
    });
  }

  /** @throws ApiError `immutable_webhook`, `webhook_not_found` */
  delete(uuid: string): Promise<void> {
    return this.#changes.run(async () => {
      this.#editable(uuid);
      await this.#store.write([del(rowKey(uuid))]);
      this.#stored.delete(uuid);
    });
  }

  #editable(uuid: string): Webhook {
    if (uuid === LAUNCH_WEBHOOK_UUID)
      throw new ApiError(
        'immutable_webhook',
        `The webhook \`${uuid}\` is that of \`--task-webhook-url\` and changes with this option only.`,
      );
    return this.get(uuid);
  }

  #checkCount(added: number): void {
    if (this.#stored.size + added <= limits.webhooksMax) return;
    throw new ApiError(
      'invalid_webhooks',
      `There are ${this.#stored.size} webhooks, and at most ${limits.webhooksMax} may exist. Delete one first.`,
    );
  }

  async #write(webhooks: readonly Webhook[]): Promise<void> {
    await this.#store.write(webhooks.map((webhook) => put(rowKey(webhook.uuid), toBytes(webhook))));
    for (const webhook of webhooks) this.#stored.set(webhook.uuid, webhook);
  }
}
