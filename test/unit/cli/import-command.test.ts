/** `gannet import` without a server. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runCommand } from '../../../src/cli/gannet.ts';
import { runGannet } from '../../support/run-gannet.ts';

const folder = mkdtempSync(join(tmpdir(), 'gannet-import-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('names a file that does not exist', async () => {
  const lines: unknown[] = [];
  const output = { write: (line: unknown) => lines.push(line) > 0 };
  const input = (async function* () {})();
  const args = ['import', '/nowhere/films.ndjson'];
  expect(await runCommand(args, { input, output, errors: output }, {})).toBe(1);
  expect(lines).toEqual(['gannet: file not found: /nowhere/films.ndjson\n']);
});

it('names a file that is not gzip, though its name says so', async () => {
  const file = join(folder, 'films.ndjson.gz');
  writeFileSync(file, '{"id": 1}');
  const { code, err } = await runGannet(['import', file], { XDG_STATE_HOME: folder });
  expect({ code, err }).toEqual({
    code: 1,
    err: `gannet: ${file} is not gzip: incorrect header check\n`,
  });
});

it('says that a folder is no file', async () => {
  const args = ['import', folder, '--format', 'json', '--index', 'films'];
  const { code, err } = await runGannet(args, { XDG_STATE_HOME: folder });
  expect({ code, err }).toEqual({
    code: 1,
    err: 'gannet: EISDIR: illegal operation on a directory, read\n',
  });
});

it('sync refuses an address that is no URL', async () => {
  const args = ['sync', 'postgres://user@host:port/films', '--tables', 'films'];
  const { code, err } = await runGannet(args);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('postgres://') });
});
