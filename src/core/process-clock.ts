/** Converts between the clocks of threads: `performance.now` starts at 0 in each thread. */

const [seconds, nanoseconds] = process.hrtime();
/** Milliseconds of `process.hrtime`, which all threads share. */
const OFFSET = seconds * 1e3 + nanoseconds / 1e6 - performance.now();

/** @param ms `performance.now` of this thread */
export const toProcessMs = (ms: number): number => ms + OFFSET;
/** Inverse of `toProcessMs`, in any thread of the process. */
export const fromProcessMs = (ms: number): number => ms - OFFSET;
