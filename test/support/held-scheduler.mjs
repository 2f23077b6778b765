/**
 * Loaded with `--import` into the processes of a server under test: the indexer begins no batch until
 * the file $HELD_UNTIL exists. $SCHEDULER is the URL of the module of the scheduler. The bundle of the
 * indexer has a scheduler of its own, so the indexer runs its modules instead.
 */
import { existsSync } from 'node:fs';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const POLL_MS = 20;
const file = process.env['HELD_UNTIL'] ?? '';

const BUNDLE = /\/processes\/indexer\.js$/;
const MODULE = '/workers/indexer.js';
const resolvesModule = `export const resolve = (specifier, context, next) =>
  next(specifier.replace(${BUNDLE}, '${MODULE}'), context);`;

const entry = process.argv[1] ?? '';
if (isMainThread && BUNDLE.test(entry)) {
  register(`data:text/javascript,${encodeURIComponent(resolvesModule)}`);
  process.argv[1] = entry.replace(BUNDLE, MODULE);
  const { Scheduler } = await import(process.env['SCHEDULER'] ?? '');
  const { wake } = Scheduler.prototype;
  Scheduler.prototype.wake = function wakeOrWait() {
    if (existsSync(file)) wake.call(this);
    else setTimeout(() => this.wake(), POLL_MS).unref();
  };
}
