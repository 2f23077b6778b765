/** Days as requests write them. */

/**
 * First instant of a day `YYYY-MM-DD` in epoch milliseconds; NaN for a day that no calendar has.
 */
export function dayMs(text: string): number {
  const ms = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, text.length) !== text
    ? Number.NaN
    : ms;
}
