/**
 * Start here: usage of the whole instance, taken from every front each minute, added up, and told
 * every hour, or as soon as it fills a bundle, to the server that an operator has named; to nobody
 * by default. What could not be told stays for the next time.
 */

import { SerialQueue } from '../core/serial-queue.ts';
import type { SendRequest } from '../http-client/outgoing-http.ts';
import type {
  TelemetryBundle,
  TelemetryPreview,
  ToldFigures,
  UsageReport,
} from '../model/usage-report.ts';
import { BUNDLE_BYTES_MAX, toBundles } from './bundles.ts';
import { mergedReports, toldEvents } from './usage-figures.ts';

const GATHER_MS = 60_000;
const TELL_MS = 3_600_000;
const TIMEOUT_MS = 30_000;
const ANSWER_BYTES_MAX = 65_536;
const ERROR_STATUS = 300;

export interface TelemetryOptions {
  /** False: nothing is counted, so nothing is gathered. */
  readonly isCounting: boolean;
  readonly url: string | null;
  readonly instanceUid: string;
  /** What the fronts have counted since the last call. */
  readonly takeUsage: () => Promise<readonly UsageReport[]>;
  /** System, launch options and sizes as they are now. */
  readonly instance: () => Promise<ToldFigures>;
  readonly send: SendRequest;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Calls again and again; the result ends that. */
  readonly every: (ms: number, run: () => void) => () => void;
  readonly log: { warn(message: string): void };
  readonly bundleBytesMax?: number;
}

export class Telemetry {
  readonly #options: TelemetryOptions;
  readonly #bundleBytesMax: number;
  #pending: UsageReport = {};
  #fromMs: number;
  /** When it was last tried. */
  #toldMs: number;
  #stop = (): void => undefined;
  /** One after the other, so that nothing is told twice. */
  readonly #rounds = new SerialQueue();

  constructor(options: TelemetryOptions) {
    this.#options = options;
    this.#bundleBytesMax = options.bundleBytesMax ?? BUNDLE_BYTES_MAX;
    this.#fromMs = this.#toldMs = options.now();
  }

  start(): void {
    const { isCounting, every } = this.#options;
    if (isCounting) this.#stop = every(GATHER_MS, () => void this.#rounds.run(() => this.#round()));
  }

  stop(): void {
    this.#stop();
  }

  /** What would be told now. */
  preview(): Promise<TelemetryPreview> {
    const { isCounting, url } = this.#options;
    return this.#rounds.run(async () => {
      if (isCounting) await this.#gather();
      return {
        isCounting,
        target: url === null ? null : new URL(url).origin,
        sendsAt: isCounting && url !== null ? new Date(this.#toldMs + TELL_MS).toISOString() : null,
        bundles: isCounting ? await this.#bundles() : [],
      };
    });
  }

  async #round(): Promise<void> {
    await this.#gather();
    const { now } = this.#options;
    const isFull =
      Buffer.byteLength(JSON.stringify(toldEvents(this.#pending))) >= this.#bundleBytesMax;
    if (isFull || now() - this.#toldMs >= TELL_MS) await this.#tell();
  }

  async #gather(): Promise<void> {
    this.#pending = mergedReports([this.#pending, ...(await this.#options.takeUsage())]);
  }

  async #bundles(): Promise<TelemetryBundle[]> {
    const { instanceUid, instance, now } = this.#options;
    const [from, to] = [this.#fromMs, now()].map((ms) => new Date(ms).toISOString());
    const head = { instanceUid, from: from ?? '', to: to ?? '', instance: await instance() };
    return toBundles(head, toldEvents(this.#pending), this.#bundleBytesMax);
  }

  async #tell(): Promise<void> {
    const { url, now, log } = this.#options;
    this.#toldMs = now();
    if (url !== null) {
      try {
        for (const bundle of await this.#bundles()) await this.#send(url, bundle);
      } catch (error) {
        log.warn(`usage figures were not told: ${(error as Error).message}`);
        return;
      }
    }
    this.#pending = {};
    this.#fromMs = this.#toldMs;
  }

  /** The events of a bundle that has arrived are no longer pending. */
  async #send(url: string, bundle: TelemetryBundle): Promise<void> {
    const { status } = await this.#options.send({
      method: 'POST',
      url,
      timeoutMs: TIMEOUT_MS,
      answerBytesMax: ANSWER_BYTES_MAX,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(bundle)),
      statusOnly: true,
    });
    if (status >= ERROR_STATUS) throw new Error(`${new URL(url).origin} answered ${status}`);
    const told = new Set(bundle.events.map(({ event }) => event));
    this.#pending = Object.fromEntries(
      Object.entries(this.#pending).filter(([event]) => !told.has(event)),
    );
  }
}
