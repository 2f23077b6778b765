/** Reads a provider's rate limits from the common spellings of response headers. */

/** By name in lower case. */
type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface Quota {
  readonly remaining: number;
  /** Time until it is full again. */
  readonly resetMs: number;
}

export interface RateLimits {
  readonly retryAfterMs: number | null;
  readonly requests: Quota | null;
  readonly tokens: Quota | null;
}

/** Header names of one quota, most precise first. */
const REQUESTS = [
  ['x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
  ['x-ratelimit-remaining', 'x-ratelimit-reset'],
  ['ratelimit-remaining', 'ratelimit-reset'],
] as const;
const TOKENS = [['x-ratelimit-remaining-tokens', 'x-ratelimit-reset-tokens']] as const;

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
/** Numbers above this are seconds since 1970, not durations. */
const EPOCH_SECONDS_MIN = 1_000_000_000;

/** @param nowMs since the epoch, for headers that state a point in time */
export function readRateLimits(headers: AnswerHeaders, nowMs: number): RateLimits {
  const quota = (names: readonly (readonly [string, string])[]): Quota | null => {
    for (const [remainingName, resetName] of names) {
      const remaining = Number.parseFloat(textOf(headers[remainingName]));
      const resetMs = toMs(textOf(headers[resetName]), nowMs);
      if (remaining >= 0 && resetMs !== null) return { remaining, resetMs };
    }
    return null;
  };
  const exactMs = Number.parseFloat(textOf(headers['retry-after-ms']));
  const retryAfterMs = exactMs >= 0 ? exactMs : toMs(textOf(headers['retry-after']), nowMs);
  return { retryAfterMs, requests: quota(REQUESTS), tokens: quota(TOKENS) };
}

/** `20`, `1.5s`, `6m0s`, `300ms`, seconds since 1970, or a date → milliseconds from now. */
function toMs(text: string, nowMs: number): number | null {
  if (/^\d+(\.\d+)?$/.test(text)) {
    const seconds = Number(text);
    return seconds < EPOCH_SECONDS_MIN ? seconds * 1000 : Math.max(0, seconds * 1000 - nowMs);
  }
  if (/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) {
    const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g);
    return [...parts].reduce((sum, [, n, unit]) => sum + Number(n) * (UNIT_MS[unit ?? ''] ?? 0), 0);
  }
  const date = text.length > 10 ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}

const textOf = (header: string | string[] | undefined): string =>
  (Array.isArray(header) ? header[0] : header)?.trim() ?? '';
