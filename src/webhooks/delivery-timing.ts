/** Retry schedule of failed deliveries. */

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
export function retryDelayMs(timing: DeliveryTiming, failures: number, random: number): number {
  const { delayMsMin, delayMsMax } = timing;
  const whole = Math.min(delayMsMax, delayMsMin * 2 ** Math.min(failures - 1, 30));
  return whole * (0.5 + random / 2);
}
