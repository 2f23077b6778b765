/** How busy the machine is, with all of its processes. */
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';

/** Over the last minute, five and fifteen minutes. */
export const loadAverage = (): string =>
  loadavg()
    .map((value) => value.toFixed(2))
    .join(' ');

const MS_PER_TICK = 10;
/** Columns of /proc/stat that count idle time: `idle` and `iowait`; `guest` is part of `user`. */
const IDLE = [3, 4];
const COLUMNS = 8;

/** Processor time in use on all cores since boot, time stolen by other machines included. */
function busyMs(): number {
  const ticks = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]!.trim().split(/\s+/).slice(1);
  return (
    MS_PER_TICK *
    ticks
      .slice(0, COLUMNS)
      .filter((_, column) => !IDLE.includes(column))
      .reduce((sum, count) => sum + Number(count), 0)
  );
}

/** Starts counting; the function returns how many cores have been busy since. */
export function busyCores(): () => number {
  const startMs = performance.now();
  const before = busyMs();
  return () => (busyMs() - before) / (performance.now() - startMs);
}
