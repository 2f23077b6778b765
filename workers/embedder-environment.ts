/** Settings and resources that the embedders of a process share. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/load.ts';
import type { EmbedderEnvironment } from '../src/embedding/open-embedder.ts';
import { rateLimiters } from '../src/embedding/providers/rate-limiter.ts';
import type { SendRequest } from '../src/http-client/outgoing-http.ts';

/** Milliseconds that a canceled task, and a server that stops, wait for paid requests under way. */
const GRACE_MS = 1000;

const OPTIONS = [
  'allowedIpNetworks',
  'openAiApiKey',
  'openAiUrl',
  'ollamaUrl',
  'restEmbedderTimeoutSeconds',
  'restEmbedderMaxRetryDurationSeconds',
  'modelDir',
  'allowModelDownloads',
  'modelHubUrl',
] as const satisfies readonly (keyof Config)[];

/** Plain data, which can be sent to a thread. */
export type EmbedderConfig = Pick<Config, (typeof OPTIONS)[number]>;

export const embedderConfig = (config: EmbedderConfig): EmbedderConfig =>
  Object.fromEntries(OPTIONS.map((name) => [name, config[name]])) as EmbedderConfig;

export function embedderEnvironment(
  config: EmbedderConfig,
  send: SendRequest,
  local: EmbedderEnvironment['local'],
): EmbedderEnvironment {
  const rateLimiterOf = rateLimiters({
    now: () => performance.now(),
    sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    random: Math.random,
  });
  return {
    send,
    local,
    rateLimiterOf,
    defaults: {
      openAiApiKey: config.openAiApiKey,
      openAiUrl: config.openAiUrl,
      ollamaUrl: config.ollamaUrl,
    },
    timeoutMs: config.restEmbedderTimeoutSeconds * 1000,
    graceMs: GRACE_MS,
    retryMsMax: config.restEmbedderMaxRetryDurationSeconds * 1000,
    now: () => Date.now(),
  };
}
