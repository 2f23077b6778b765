/**
 * Loaded with `--import` into the processes of a server under test: the indexer begins no batch until
 * the file $HELD_UNTIL exists. $SCHEDULER is the URL of the module of the scheduler.
 */
import { existsSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const POLL_MS = 20;
const file = process.env['HELD_UNTIL'] ?? '';

if (isMainThread && /[\\/]indexer\.js$/.test(process.argv[1] ?? '')) {
  const { Scheduler } = await import(process.env['SCHEDULER'] ?? '');
  const { wake } = Scheduler.prototype;
  Scheduler.prototype.wake = function wakeOrWait() {
    if (existsSync(file)) wake.call(this);
    else setTimeout(() => this.wake(), POLL_MS).unref();
  };
}
