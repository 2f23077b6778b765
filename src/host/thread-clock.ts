/**
 * How much processor time the calling thread has had, which tells what work costs on a busy host,
 * where the time that passes tells how busy the host is.
 */
import koffi from 'koffi';

const LIBRARY: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'libc.so.6',
  darwin: 'libSystem.B.dylib',
};
/** `CLOCK_THREAD_CPUTIME_ID` of each. */
const CLOCK: Partial<Record<NodeJS.Platform, number>> = { linux: 3, darwin: 16 };

type ClockGetTime = (clock: number, time: BigInt64Array) => number;

/** A clock in milliseconds; that of the time that passes where there is no other. */
export function threadClock(): () => number {
  const library = LIBRARY[process.platform];
  const clock = CLOCK[process.platform];
  if (library === undefined || clock === undefined) return () => performance.now();
  let getTime: ClockGetTime;
  try {
    getTime = koffi
      .load(library)
      .func('int clock_gettime(int, _Out_ void *)') as unknown as ClockGetTime;
  } catch {
    return () => performance.now();
  }
  // Seconds and nanoseconds.
  const time = new BigInt64Array(2);
  return () => {
    getTime(clock, time);
    return Number(time[0]) * 1e3 + Number(time[1]) / 1e6;
  };
}
