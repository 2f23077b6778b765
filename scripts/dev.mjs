/** `npm run dev`: the compiler in watch mode, and the server restarted on every change of dist. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { watchCode } from './lib/bundles.mjs';
import { ensureBuilt, ensureInstalled, ROOT } from './lib/fresh.mjs';

ensureInstalled();
await ensureBuilt();
const compiler = [
  'node_modules/typescript/bin/tsc',
  '-p',
  'tsconfig.build.json',
  '--watch',
  '--preserveWatchOutput',
];
const server = [
  '--watch',
  '--watch-path=dist/src',
  '--watch-path=dist/workers',
  '--watch-path=dist/threads',
  '--watch-path=dist/search-page',
  '--watch-path=dist/docs',
  'dist/src/main.js',
];
const stopWatching = await watchCode(ROOT);
const children = [compiler, [...server, ...process.argv.slice(2)]].map((args) =>
  spawn(process.execPath, args, { cwd: join(ROOT), stdio: 'inherit' }),
);
for (const child of children) {
  child.on('exit', (code) => {
    for (const other of children) other.kill('SIGTERM');
    stopWatching();
    process.exitCode = code ?? 1;
  });
}
