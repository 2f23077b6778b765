/**
 * Polls the futures of SlateDB on threads of libuv's pool. By itself the library polls them on the
 * JavaScript thread, and the thread of its runtime wakes them by a callback that waits for the JavaScript
 * thread. Both take the lock of the connection pool: when a connection ends at the wrong moment, the
 * runtime holds the lock and waits for the callback, the poll waits for the lock, and the process stops
 * for ever. A poll on another thread leaves the JavaScript thread free to run the callback.
 */
import { type NativeCalls, type NativeFunction, withWrappedFunctions } from './native-calls.ts';

/** Polls at the same time; libuv has four threads by default, and files need one, too. */
const POLLS_MAX = 3;
const POLL = '_rust_future_poll_';

/** Runs `load`, which must load the library by `calls`; polls of the library then run elsewhere. */
export function withPollsElsewhere<Loaded>(
  calls: NativeCalls,
  load: () => Promise<Loaded>,
): Promise<Loaded> {
  const polls = new BoundedPolls();
  endWithoutPolls(calls, polls);
  const wrap = (name: string, native: NativeFunction) =>
    name.includes(POLL) ? polls.elsewhere(native) : native;
  return withWrappedFunctions(calls, wrap, load);
}

/**
 * Node waits at its exit for the threads of libuv's pool, and a poll can wait for the JavaScript thread.
 * So a process with a running poll ends at once after its handlers of `exit`.
 */
function endWithoutPolls(calls: NativeCalls, polls: BoundedPolls): void {
  if (process.platform === 'win32') return;
  const exitNow = calls.load(null).func('_exit', 'void', ['int']);
  process.on('exit', (code) => {
    if (polls.running > 0) exitNow(code);
  });
}

class BoundedPolls {
  #running = 0;
  /** The oldest first. */
  readonly #waiting: (() => void)[] = [];

  get running(): number {
    return this.#running;
  }

  elsewhere(native: NativeFunction): NativeFunction {
    const poll = (...parameters: readonly unknown[]): void => {
      this.#waiting.push(() => native.async(...parameters, () => this.#ended()));
      this.#begin();
    };
    return Object.assign(poll, { async: native.async });
  }

  #ended(): void {
    this.#running--;
    this.#begin();
  }

  #begin(): void {
    if (this.#running >= POLLS_MAX) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#running++;
    next();
  }
}
