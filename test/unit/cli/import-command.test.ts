/** `gannet import` without a server. */
import { expect, it } from 'vitest';
import { runCommand } from '../../../src/cli/gannet.ts';

it('names a file that does not exist', async () => {
  const lines: unknown[] = [];
  const output = { write: (line: unknown) => lines.push(line) > 0 };
  const input = (async function* () {})();
  const args = ['import', '/nowhere/films.ndjson'];
  expect(await runCommand(args, { input, output, errors: output }, {})).toBe(1);
  expect(lines).toEqual(['gannet: file not found: /nowhere/films.ndjson\n']);
});
