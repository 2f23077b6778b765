/** The example of a search by meaning prints what its page says, with both kinds of embedders. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { writeModel } from '../support/made-model.ts';
import { cleanUp, freshFolder } from '../support/test-server.ts';

const run = promisify(execFile);
afterAll(cleanUp);

const example = async (...args: string[]): Promise<string[]> => {
  const { stdout } = await run(process.execPath, ['examples/vectors/start.mjs', ...args]);
  return stdout.split('\n').filter((line) => line.startsWith('“') || line.includes('films'));
};

it('finds what no word names, with the vectors of a provider', async () => {
  const [films, words, meaning, both] = await example();
  expect(films).toBe('5 films, each with a vector of 4 numbers');
  expect(words).toMatch(/by words alone: Gale Force \d\.\d\d$/);
  expect(meaning).toMatch(/by meaning alone: White Squall \d\.\d\d, /);
  expect(both).toMatch(/by both: White Squall .*, Gale Force /);
});

it('runs with a model in the server', async () => {
  const folder = freshFolder();
  writeModel(join(folder, 'made/model'));
  const printed = await example('--local', '--model', 'made/model', '--model-dir', folder);
  expect(printed[0]).toBe('5 films, each with a vector of 3 numbers');
  expect(printed).toHaveLength(4);
});
