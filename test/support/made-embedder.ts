/** Embedders over a made provider, with clocks that tests choose. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Embedder } from '../../src/embedding/embedder.ts';
import { type EmbedderEnvironment, openEmbedder } from '../../src/embedding/open-embedder.ts';
import { type RateLimiterClock, rateLimiters } from '../../src/embedding/providers/rate-limiter.ts';
import type { EmbedderSettings } from '../../src/model/embedders/embedder-settings.ts';
import type { MadeProvider } from './made-provider.ts';
import { PATIENCE_MS } from './until.ts';

/** Runs `speed` times faster than wall time. */
export const fasterClock = (speed: number): RateLimiterClock => ({
  now: () => performance.now() * speed,
  sleep: (ms, signal) => sleep(ms / speed, undefined, { signal }),
  random: () => 0.5,
});

/**
 * Time stops while a request is running, and otherwise jumps to the next moment that a sleeper
 * waits for: waits take no time, and the order of requests does not depend on the machine.
 */
export class SteppedClock implements RateLimiterClock {
  readonly #sleepers = new Set<{ readonly dueMs: number; readonly wake: () => void }>();
  #nowMs = 0;
  #underWay = 0;
  #isStepping = false;

  readonly now = (): number => this.#nowMs;
  readonly random = (): number => 0.5;

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return void reject(signal.reason);
      const sleeper = { dueMs: this.#nowMs + ms, wake: resolve };
      this.#sleepers.add(sleeper);
      signal.addEventListener('abort', () => {
        this.#sleepers.delete(sleeper);
        reject(signal.reason);
      });
      this.#step();
    });
  }

  /** Requests that time stands for. */
  standingFor(send: MadeProvider['send']): MadeProvider['send'] {
    return async (request) => {
      this.#underWay += 1;
      try {
        return await send(request);
      } finally {
        this.#underWay -= 1;
        this.#step();
      }
    };
  }

  #step(): void {
    if (this.#isStepping) return;
    this.#isStepping = true;
    setImmediate(() => {
      this.#isStepping = false;
      const [next] = [...this.#sleepers].sort((a, b) => a.dueMs - b.dueMs);
      if (this.#underWay > 0 || next === undefined) return;
      this.#nowMs = next.dueMs;
      this.#sleepers.delete(next);
      next.wake();
      this.#step();
    });
  }
}

export function madeEnvironment(
  { send }: Pick<MadeProvider, 'send'>,
  clock: RateLimiterClock = fasterClock(50),
  more: Partial<EmbedderEnvironment> = {},
): EmbedderEnvironment {
  return {
    send: clock instanceof SteppedClock ? clock.standingFor(send) : send,
    rateLimiterOf: rateLimiters(clock),
    local: () => {
      throw new Error('no local models here');
    },
    defaults: {
      openAiApiKey: null,
      openAiUrl: 'https://api.openai.com/v1/embeddings',
      ollamaUrl: 'http://localhost:11434/api/embeddings',
    },
    timeoutMs: PATIENCE_MS,
    graceMs: 0,
    retryMsMax: 60_000,
    now: () => Date.now(),
    ...more,
  };
}

export const restSettings = (
  url: string,
  more: Partial<EmbedderSettings> = {},
): EmbedderSettings => ({
  source: 'rest',
  url,
  request: { input: ['{{text}}', '{{..}}'] },
  response: { data: [{ embedding: '{{embedding}}' }, '{{..}}'] },
  ...more,
});

export const madeEmbedder = (
  provider: MadeProvider,
  more: Partial<EmbedderSettings> = {},
): Embedder => openEmbedder(restSettings(provider.url, more), madeEnvironment(provider));
