/**
 * `npm start`: builds dist when it is stale, then runs the server in this process with the given
 * flags.
 */
import { ensureBuilt, ensureInstalled } from './lib/fresh.mjs';

const PARENT_CHECK_MS = 200;

/**
 * A signal to npm ends the shell between npm and this process, but does not reach this process. The
 * parent process id then changes.
 */
function stopWithParent() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS);
  timer.unref();
}

if (process.env.npm_lifecycle_event === 'start') stopWithParent();
ensureInstalled();
await ensureBuilt();
await import('../dist/src/main.js');
