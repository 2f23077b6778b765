/** Embedders over a made provider, with clocks that tests choose. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Embedder } from '../../src/embedding/embedder.ts';
import { type EmbedderEnvironment, openEmbedder } from '../../src/embedding/open-embedder.ts';
import type { GovernorClock } from '../../src/embedding/providers/governor.ts';
import { Governors } from '../../src/embedding/providers/governors.ts';
import type { EmbedderSettings } from '../../src/model/embedder-settings.ts';
import type { MadeProvider } from './made-provider.ts';

/** Time runs so many times faster than on the wall. */
export const fasterClock = (speed: number): GovernorClock => ({
  now: () => performance.now() * speed,
  sleep: (ms, signal) => sleep(ms / speed, undefined, { signal }),
  random: () => 0.5,
});

export function madeEnvironment(
  { send }: Pick<MadeProvider, 'send'>,
  clock: GovernorClock = fasterClock(50),
  more: Partial<EmbedderEnvironment> = {},
): EmbedderEnvironment {
  const governors = new Governors(clock);
  return {
    send,
    governorOf: (url, apiKey) => governors.of(url, apiKey),
    local: () => {
      throw new Error('no local models here');
    },
    defaults: { openAiApiKey: null, ollamaUrl: 'http://localhost:11434/api/embeddings' },
    timeoutMs: 1000,
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
