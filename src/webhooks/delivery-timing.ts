/** When a delivery that failed is tried again, and when no more. */

export interface DeliveryTiming {
  /** From the request to the head of the answer, redirects included. */
  readonly timeoutMs: number;
  /** Before the second attempt; doubled for each further one. */
  readonly delayMsMin: number;
  readonly delayMsMax: number;
  /** After the end of the batch. */
  readonly abandonMs: number;
}

export const DELIVERY_TIMING: DeliveryTiming = {
  timeoutMs: 30_000,
  delayMsMin: 1000,
  delayMsMax: 300_000,
  abandonMs: 86_400_000,
};

/**
 * Before the next attempt. @param failures in a row, 1 or more @param random from 0 to 1: moves the
 * delay between its half and its whole, so that targets are not asked by all at once
 */
export function retryDelayMs(timing: DeliveryTiming, failures: number, random: number): number {
  const { delayMsMin, delayMsMax } = timing;
  const whole = Math.min(delayMsMax, delayMsMin * 2 ** Math.min(failures - 1, 30));
  return whole * (0.5 + random / 2);
}
