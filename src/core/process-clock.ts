/** Conversion between the clocks of threads: `performance.now` may start at 0 in each of them. */

const [seconds, nanoseconds] = process.hrtime();
/** ms; the clock of `process.hrtime` is one for all threads. */
const OFFSET = seconds * 1e3 + nanoseconds / 1e6 - performance.now();

/** @param ms of this thread's `performance.now` */
export const toProcessMs = (ms: number): number => ms + OFFSET;
/** Inverse of `toProcessMs`, in any thread of the process. */
export const fromProcessMs = (ms: number): number => ms - OFFSET;
