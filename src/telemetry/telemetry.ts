/**
 * Start here: usage figures of the instance. Every hour they are gathered from all fronts and sent
 * to the server that the operator named; without one they are dropped. Figures that were not
 * delivered are sent with the next hour's.
 */
import { HOUR_MS } from '../core/calendar-day.ts';
import { SerialQueue } from '../core/serial-queue.ts';
import type { SendRequest } from '../http-client/outgoing-http.ts';
import type {
  FigureValues,
  TelemetryBundle,
  TelemetryPreview,
  UsageReport,
} from '../model/usage-report.ts';
import { shownEvents, UsageFigures } from './usage-figures.ts';

const TIMEOUT_MS = 30_000;
const ANSWER_BYTES_MAX = 65_536;
const ERROR_STATUS = 300;

export interface TelemetryOptions {
  /** False = nothing is counted, gathered or sent. */
  readonly isCounting: boolean;
  readonly url: string | null;
  readonly instanceUid: string;
  /** Takes the counts of all fronts since the last call. */
  readonly takeUsage: () => Promise<readonly UsageReport[]>;
  /** Current figures of the instance itself. */
  readonly instance: () => Promise<FigureValues>;
  readonly send: SendRequest;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly log: { warn(message: string): void };
}

export class Telemetry {
  readonly #options: TelemetryOptions;
  readonly #pending = new UsageFigures();
  /** Start of the time that `#pending` covers. */
  #fromMs: number;
  #lastRoundMs: number;
  /** Rounds and previews run one after the other, so that nothing is sent twice. */
  readonly #rounds = new SerialQueue();

  constructor(options: TelemetryOptions) {
    this.#options = options;
    this.#fromMs = this.#lastRoundMs = options.now();
  }

  preview(): Promise<TelemetryPreview> {
    const { isCounting, url } = this.#options;
    const sendsAt =
      isCounting && url !== null ? new Date(this.#lastRoundMs + HOUR_MS).toISOString() : null;
    return this.#rounds.run(async () => ({
      isCounting,
      target: url === null ? null : new URL(url).origin,
      sendsAt,
      bundles: isCounting ? [await this.#gather()] : [],
    }));
  }

  /** Called every hour. Never rejects. */
  round(): Promise<void> {
    return this.#rounds.run(async () => {
      const { isCounting, url, now, log } = this.#options;
      if (!isCounting) return;
      this.#lastRoundMs = now();
      try {
        const bundle = await this.#gather();
        if (url !== null) await this.#send(url, bundle);
        this.#pending.take();
        this.#fromMs = this.#lastRoundMs;
      } catch (error) {
        log.warn(`usage figures were not sent: ${(error as Error).message}`);
      }
    });
  }

  async #gather(): Promise<TelemetryBundle> {
    const { instanceUid, instance, takeUsage, now } = this.#options;
    for (const report of await takeUsage()) this.#pending.add(report);
    return {
      instanceUid,
      from: new Date(this.#fromMs).toISOString(),
      to: new Date(now()).toISOString(),
      instance: await instance(),
      events: shownEvents(this.#pending.report),
    };
  }

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
  }
}
