/** Lets threads that answer people have a processor at once, beside threads that work for long. */
import { getPriority } from 'node:os';
import koffi from 'koffi';

/** `sched_setattr`, for which C libraries have no name. */
const SYSTEM_CALL: Partial<Record<string, number>> = { x64: 314, arm64: 274 };

/** Bytes of `struct sched_attr`, and of its members those that are set. */
const ATTRIBUTES = { bytes: 48, flagsAt: 8, niceAt: 16, sliceAt: 24 };
/** The policy stays as it is. */
const KEEP_POLICY = 8n;

/**
 * Nanoseconds, the least that Linux takes. It says nothing of how much a thread gets, but in which
 * portions: one that asks for small ones and wakes up need not wait until a thread that is given
 * large ones has had its own, some milliseconds.
 */
const SLICE = 100_000n;

type SystemCall = (number: number, thread: number, attributes: Uint8Array, flags: number) => number;

/** What the system gives by itself. */
const USUAL_SLICE = 0n;

/**
 * Of the calling thread and of those that it starts from now on. Linux knows it from 6.12 on; others
 * decide by themselves who comes first.
 */
export const takeTurnsPromptly = (): void => askForSlice(SLICE);

/** The calling thread does not, though the one that started it does. */
export const takeUsualTurns = (): void => askForSlice(USUAL_SLICE);

function askForSlice(slice: bigint): void {
  const number = process.platform === 'linux' ? SYSTEM_CALL[process.arch] : undefined;
  if (number === undefined) return;
  const attributes = new DataView(new ArrayBuffer(ATTRIBUTES.bytes));
  attributes.setUint32(0, ATTRIBUTES.bytes, true);
  attributes.setBigUint64(ATTRIBUTES.flagsAt, KEEP_POLICY, true);
  attributes.setInt32(ATTRIBUTES.niceAt, getPriority(), true);
  attributes.setBigUint64(ATTRIBUTES.sliceAt, slice, true);
  try {
    const call = koffi
      .load('libc.so.6')
      .func(
        'long syscall(long number, int thread, const void *attributes, unsigned int flags)',
      ) as unknown as SystemCall;
    call(number, 0, new Uint8Array(attributes.buffer), 0);
  } catch {
    // Another C library: searches then compete as all threads do.
  }
}
