/** `npm run dev`: builds and restarts the server on every change of a source or of the docs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, ROOT, SOURCE_FOLDERS } from './lib/fresh.mjs';

/** An editor writes a file in several steps. */
const QUIET_MS = 100;

let server = null;
let timer = null;
let building = Promise.resolve();

async function buildAndRestart() {
  try {
    await ensureBuilt();
  } catch {
    // The bundler has printed the error; the next change is the next attempt.
    return;
  }
  if (server !== null && server.exitCode === null && server.signalCode === null) {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
  const args = ['dist/src/main.js', ...process.argv.slice(2)];
  server = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
}

function changed() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    building = building.then(buildAndRestart);
  }, QUIET_MS);
}

ensureInstalled();
building = buildAndRestart();
for (const folder of [...SOURCE_FOLDERS, 'docs'])
  watch(join(ROOT, folder), { recursive: true }, changed);
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    server?.once('exit', () => process.exit());
    if (server?.kill(signal) !== true) process.exit();
  });
