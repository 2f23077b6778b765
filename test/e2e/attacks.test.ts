/**
 * The short attacks of `load-tests/attacks`, in the form of `npm run attacks -- --short`: a client
 * with another key notices nothing, and what is attacked answers with the right codes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findAttacks, groupsByServer } from '../../load-tests/attacks/parts/find-attacks.ts';

interface Outcome {
  readonly attack: string;
  readonly broken: readonly string[];
}

/** In the order in which they run. */
const attacks = groupsByServer((await findAttacks()).filter(({ short }) => short)).flat();
let program: ChildProcess;
let lines: AsyncIterator<string>;
let errors = '';

beforeAll(() => {
  const args = ['dist/load-tests/run-attacks.js', '--short', '--json'];
  const child = spawn(process.execPath, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr.on('data', (text) => (errors += String(text)));
  lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  program = child;
});
afterAll(() => {
  // The server of the last attack is in its process group.
  if (program.exitCode === null && program.pid) process.kill(-program.pid);
});

test.each(attacks.map(({ name }) => name))('%s breaks no promise', async (name) => {
  const { value = '{}' } = (await lines.next()) as { readonly value?: string };
  const { attack, broken } = JSON.parse(value) as Outcome;
  expect({ attack, broken }, errors).toEqual({ attack: name, broken: [] });
});
