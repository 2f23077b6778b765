/**
 * Delivers batches to one webhook in order, each until it is delivered or abandoned; independent of
 * other webhooks.
 */
import { createHmac } from 'node:crypto';
import { type Clock, formatDate, formatDuration } from '../core/clock.ts';
import { Waiters } from '../core/waiters.ts';
import { OutgoingError } from '../http-client/outgoing-error.ts';
import type { SendRequest } from '../http-client/outgoing-http.ts';
import type { DeliveryAttempt, Webhook } from '../model/webhook.ts';
import type { Logger } from '../observability/logger.ts';
import type { Outbox, OutboxEntry } from './outbox.ts';

const SIGNATURE_HEADER = 'x-gannet-signature';

/**
 * The signature of a delivery: an HMAC over the time and the bytes of the body, with a secret shared
 * with the receiver (docs/webhooks.md). @param body as sent @param micros microseconds since 1970
 */
function signatureOf(body: Uint8Array, secret: string, micros: number): string {
  const seconds = Math.floor(micros / 1e6);
  const digest = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex');
  return `t=${seconds},v1=${digest}`;
}

export interface WebhookSenderOptions {
  /** The current webhook, read before each attempt; null once it is deleted. */
  readonly webhook: () => Webhook | null;
  readonly outbox: Pick<Outbox, 'next' | 'body' | 'note'>;
  readonly send: SendRequest;
  readonly timing: DeliveryTiming;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly onFatal: (error: unknown) => void;
}

export interface DeliveryTiming {
  /** Milliseconds from the request to the head of the response, including redirects. */
  readonly timeoutMs: number;
  /** Milliseconds before the second attempt; doubles with each further one. */
  readonly delayMsMin: number;
  readonly delayMsMax: number;
  /** Milliseconds after the end of the batch. */
  readonly abandonMs: number;
}

export const DELIVERY_TIMING: DeliveryTiming = {
  timeoutMs: 30_000,
  delayMsMin: 1000,
  delayMsMax: 300_000,
  abandonMs: 86_400_000,
};

/**
 * Milliseconds before the next attempt. @param failures in a row, 1 or more @param random from 0 to
 * 1: scales the delay between half and full, so that retries to different targets spread
 */
function retryDelayMs(
  { delayMsMin, delayMsMax }: DeliveryTiming,
  failures: number,
  random: number,
): number {
  const whole = Math.min(delayMsMax, delayMsMin * 2 ** Math.min(failures - 1, 30));
  return whole * (0.5 + random / 2);
}

/** The target refuses this batch for good (RFC 9110). */
const GONE = 410;
/** Bytes of the response, whose content is ignored. */
const ANSWER_BYTES_MAX = 65_536;

/** Headers that frame the request or describe its body; a webhook cannot set them. */
const OWN_HEADERS = [
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Result of an attempt: delivered if `error` is absent. */
interface Reply {
  readonly status: number | null;
  readonly error: string | null;
}

export class WebhookSender {
  readonly #uuid: string;
  readonly #options: WebhookSenderOptions;
  readonly #stopping = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  #isRunning = false;
  #isAwake = false;
  /** Consecutive failures, over all batches. */
  #failures = 0;
  #lastAttempt: Pick<DeliveryAttempt, 'batchUid' | 'attempt'> | null = null;
  readonly #pause = new Waiters();
  /** True if the webhook was changed since the running attempt began. */
  #isChanged = false;

  constructor(uuid: string, options: WebhookSenderOptions) {
    this.#uuid = uuid;
    this.#options = options;
  }

  wake(): void {
    if (this.#stopping.signal.aborted) return;
    this.#isAwake = true;
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#loop = this.#run();
  }

  /** Retries at once after a change of the webhook. */
  retryNow(): void {
    this.#isChanged = true;
    this.#pause.end();
  }

  /** Sends nothing more. A running request is aborted and sent again after a restart. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#pause.end();
    await this.#loop;
  }

  async #run(): Promise<void> {
    try {
      while (this.#isAwake && !this.#stopping.signal.aborted) {
        this.#isAwake = false;
        const entry = this.#options.outbox.next(this.#uuid);
        if (entry === null) continue;
        this.#isAwake = true;
        await this.#deliver(entry);
      }
    } catch (error) {
      this.#options.onFatal(error);
    } finally {
      this.#isRunning = false;
    }
  }

  async #deliver(entry: OutboxEntry): Promise<void> {
    const { outbox, webhook, clock, timing } = this.#options;
    const body = await outbox.body(entry);
    this.#isChanged = false;
    const target = webhook();
    if (target === null) this.#isAwake = false;
    if (body === null || target === null || this.#stopping.signal.aborted) return;
    const startedAt = clock();
    const reply = await this.#send(target, body);
    if (this.#stopping.signal.aborted) return;
    this.#failures = reply.error === null ? 0 : this.#failures + 1;
    const delayMs = retryDelayMs(timing, this.#failures, Math.random());
    const attempt = this.#attemptOf(entry, reply, startedAt, delayMs);
    this.#lastAttempt = attempt;
    this.#log(attempt, target);
    await outbox.note(this.#uuid, entry, attempt);
    if (reply.error === null || reply.status === GONE) return;
    if (!this.#isChanged && !this.#stopping.signal.aborted) await this.#pause.wait(delayMs);
  }

  async #send({ url, headers, signingSecret }: Webhook, body: Uint8Array): Promise<Reply> {
    const { clock } = this.#options;
    const signature =
      signingSecret === undefined
        ? {}
        : { [SIGNATURE_HEADER]: signatureOf(body, signingSecret, clock()) };
    try {
      const { status } = await this.#options.send({
        method: 'POST',
        url,
        headers: {
          'content-type': 'application/x-ndjson',
          'content-encoding': 'gzip',
          ...withoutOwn(headers, signature),
          ...signature,
        },
        body,
        timeoutMs: this.#options.timing.timeoutMs,
        answerBytesMax: ANSWER_BYTES_MAX,
        statusOnly: true,
        signal: this.#stopping.signal,
      });
      const isTaken = status >= 200 && status < 300;
      return { status, error: isTaken ? null : `The target answered with status ${status}.` };
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      return { status: null, error: error.message };
    }
  }

  #attemptOf(
    { batchUid, finishedAt }: OutboxEntry,
    { status, error }: Reply,
    startedAt: number,
    delayMs: number,
  ): DeliveryAttempt {
    const endedAt = this.#options.clock();
    const before = this.#lastAttempt?.batchUid === batchUid ? this.#lastAttempt.attempt : 0;
    const isOld = (endedAt - finishedAt) / 1000 >= this.#options.timing.abandonMs;
    const isAbandoned = status === GONE || isOld;
    const result = error === null ? 'delivered' : isAbandoned ? 'abandoned' : 'failed';
    const nextAt = endedAt + Math.round(delayMs * 1000);
    return {
      batchUid,
      attempt: before + 1,
      startedAt: formatDate(startedAt),
      duration: formatDuration(endedAt - startedAt),
      result,
      status,
      error,
      nextAttemptAt: result === 'failed' ? formatDate(nextAt) : null,
    };
  }

  /**
   * Logs the first failure, the end of failures, and dropped batches, without paths and queries,
   * which may be secrets.
   */
  #log({ batchUid, attempt, result, error }: DeliveryAttempt, { url }: Webhook): void {
    const { log } = this.#options;
    const name = `webhook ${this.#uuid} (${new URL(url).origin})`;
    if (result === 'failed' && attempt === 1)
      log.warn(`${name} does not take batch ${batchUid}, which is sent again: ${error}`);
    else if (result === 'delivered' && attempt > 1)
      log.info(`${name} has taken batch ${batchUid} at attempt ${attempt}`);
    else if (result === 'abandoned')
      log.warn(`${name} has not taken batch ${batchUid}, which is not sent again: ${error}`);
  }
}

const withoutOwn = (headers: Webhook['headers'], signature: object): Webhook['headers'] =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !OWN_HEADERS.includes(name.toLowerCase()) && !(name.toLowerCase() in signature),
    ),
  );
