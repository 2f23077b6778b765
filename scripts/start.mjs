/**
 * `npm start`: makes dist fresh when it is not, then runs the server in this process with the flags
 * given.
 */
import { ensureBuilt, ensureInstalled } from './lib/fresh.mjs';

const PARENT_CHECK_MS = 200;

/**
 * A signal sent to npm ends the shell between npm and this process without reaching it; the change
 * of parent does.
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
