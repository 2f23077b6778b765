/**
 * The short attacks of `load-tests/attacks`, in the form of `npm run attacks -- --short`: a client
 * with another key notices nothing, and what is attacked answers with the right codes.
 */
import { execFile } from 'node:child_process';
import { beforeAll, expect, test } from 'vitest';
import { findAttacks } from '../../load-tests/attacks/parts/find-attacks.ts';

interface Outcome {
  readonly attack: string;
  readonly broken: readonly string[];
}

const shortAttacks = (await findAttacks()).filter(({ short }) => short);
let outcomes: readonly Outcome[] = [];
let errors = '';

beforeAll(async () => {
  const out = await new Promise<string>((done) => {
    const args = ['dist/load-tests/run-attacks.js', '--short', '--json'];
    execFile(process.execPath, args, (_, stdout, stderr) => {
      errors = stderr;
      done(stdout);
    });
  });
  outcomes = out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Outcome);
});

test.each(shortAttacks.map(({ name }) => name))('%s breaks no promise', (name) => {
  const outcome = outcomes.find(({ attack }) => attack === name);
  expect(outcome?.broken, errors).toEqual([]);
});
