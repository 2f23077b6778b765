/** Formats numbers and times for people. Pure. */

export const humanCount = (count: number): string => count.toLocaleString('en');

/** @param duration ISO 8601 as the API writes it, `PT1M2.5S`; other texts are returned unchanged */
export function humanDuration(duration: string | null): string {
  const match = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(duration ?? '');
  if (match === null) return duration ?? '';
  const [, hours = '0', minutes = '0', seconds = '0'] = match;
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  if (total < 1) return `${Math.round(total * 1000)} ms`;
  return total < 60 ? `${total.toFixed(1)} s` : `${Math.round(total)} s`;
}

/** @param time ISO 8601; the result is local time, without the date if it is today */
export function humanTime(time: string | null, now: Date): string {
  if (time === null) return '';
  const at = new Date(time);
  return at.toDateString() === now.toDateString() ? at.toLocaleTimeString() : at.toLocaleString();
}
