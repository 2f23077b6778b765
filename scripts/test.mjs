/**
 * `npm test`: installs and builds, checks types, style, import directions and dead code, and runs
 * every kind of test. The checks run during the build and the tests: they use one processor for
 * half a minute, the tests wait for their servers.
 */
import { spawn } from 'node:child_process';
import { ensureBuilt, ensureInstalled, ROOT } from './lib/fresh.mjs';

/** Exit code and output of a command; the output is empty if it is inherited. */
const ended = (command, args, stdio) =>
  new Promise((done) => {
    const shell = process.platform === 'win32';
    const child = spawn(command, args, { cwd: ROOT, stdio, shell });
    const output = [];
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => output.push(chunk));
    child.once('error', (error) => done({ code: 1, output: String(error) }));
    child.once('close', (code) => done({ code: code ?? 1, output: Buffer.concat(output) }));
  });

const startedAt = Date.now();
ensureInstalled();
const checks = ended('npm', ['run', '--silent', 'check'], ['ignore', 'pipe', 'pipe']);
await ensureBuilt();
const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)];
const tests = await ended(process.execPath, vitest, 'inherit');
const checked = await checks;
if (checked.code !== 0) process.stderr.write(checked.output);
const isGreen = tests.code === 0 && checked.code === 0;
const seconds = Math.round((Date.now() - startedAt) / 1000);
console.log(`npm test: ${isGreen ? 'all green' : 'failed'} in ${seconds} s`);
process.exitCode = isGreen ? 0 : 1;
