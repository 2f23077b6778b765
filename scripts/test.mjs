/**
 * `npm test`: installs and builds, checks types, style, import directions and dead code, and runs
 * every kind of test. The checks run during the build and the tests: they use one processor for
 * half a minute, the tests wait for their servers.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ensureBuilt, ensureInstalled, ROOT } from './lib/fresh.mjs';

/** Exit code and output of a command; the output is empty if it is inherited. */
const ended = (command, args, options) =>
  new Promise((done) => {
    const child = spawn(command, args, { cwd: ROOT, ...options });
    const output = [];
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => output.push(chunk));
    child.once('error', (error) => done({ code: 1, output: String(error) }));
    child.once('close', (code) => done({ code: code ?? 1, output: Buffer.concat(output) }));
  });

/**
 * The scripts of `npm run check` one after the other, until one fails. Without npm, which takes half a
 * second of processor time for each.
 */
async function checksEnded() {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const path = Object.keys(process.env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  const bin = join(ROOT, 'node_modules/.bin');
  // The type checker collects its garbage less often, which halves its processor time.
  const env = { ...process.env, [path]: `${bin}${delimiter}${process.env[path]}`, GOGC: '400' };
  const names = [...scripts.check.matchAll(/npm run -s (\S+)/g)].map(([, name]) => name);
  if (names.length === 0) return { code: 1, output: 'package.json has no checks\n' };
  for (const name of names) {
    const stdio = ['ignore', 'pipe', 'pipe'];
    const end = await ended(scripts[name], [], { shell: true, stdio, env });
    if (end.code !== 0) return end;
  }
  return { code: 0, output: '' };
}

const startedAt = Date.now();
ensureInstalled();
const checks = checksEnded();
await ensureBuilt();
const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)];
const tests = await ended(process.execPath, vitest, { stdio: 'inherit' });
const checked = await checks;
if (checked.code !== 0) process.stderr.write(checked.output);
const isGreen = tests.code === 0 && checked.code === 0;
const seconds = Math.round((Date.now() - startedAt) / 1000);
console.log(`npm test: ${isGreen ? 'all green' : 'failed'} in ${seconds} s`);
process.exitCode = isGreen ? 0 : 1;
