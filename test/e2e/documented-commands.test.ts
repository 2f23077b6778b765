/**
 * What the documentation says to type: blocks marked `sh tried` or `js tried` are run page by page, in
 * the order of a reader, against one server; a block marked `answer` behind one is what it prints.
 */
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { Meilisearch } from 'meilisearch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isOnPath } from '../../scripts/lib/executables.ts';
import { makeChatProvider, saying, searching } from '../support/made-chat-provider.ts';
import { codeBlocks, linkTargets } from '../support/markdown.ts';
import { cleanUp, clientOf, DIST, freshFolder, TestServer } from '../support/test-server.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const KEY = 'a-master-key-for-the-documentation';
const pages = linkTargets(readFileSync('docs/README.md', 'utf8'))
  .filter((target) => !target.startsWith('../') && !target.startsWith('adr/'))
  .map((target) => `docs/${target}`);
const hasTried = (page: string): boolean => codeBlocks(page).some(({ mark }) => mark === 'tried');
const hasTools = isOnPath('curl') && isOnPath('bash');

let server: TestServer;
let client: Meilisearch;
let environment: NodeJS.ProcessEnv;

/** Programs on the reader's path, configured for the server of this test. */
function writePrograms(folder: string): string {
  const programs = join(folder, 'bin');
  mkdirSync(programs);
  const program = (name: string, command: string): void => {
    writeFileSync(join(programs, name), `#!/bin/sh\n${command}\n`);
    chmodSync(join(programs, name), 0o755);
  };
  // Without the look for changed sources of `scripts/gannet.mjs`.
  const main = join(folder, 'gannet.mjs');
  writeFileSync(
    main,
    `await (await import('${pathToFileURL(DIST)}/processes/gannet.js')).main();\n`,
  );
  program('gannet', `exec '${process.execPath}' '${main}' "$@"`);
  program(
    'curl',
    `case "$*" in *Authorization*) ;; *) set -- -H 'Authorization: Bearer ${KEY}' "$@";; esac
PATH="\${PATH#*:}" exec curl -sS --fail-with-body "$@"`,
  );
  return programs;
}

/** A provider of chats, which pages have at the port of vLLM. */
const provider = await makeChatProvider(({ body: { messages } }) => ({
  events:
    messages.at(-1)?.['role'] === 'tool'
      ? saying(String(messages.at(-1)?.['content']))
      : searching({ index_uid: 'films', q: 'dog', filter: null }),
}));

const typed = (text: string): string =>
  text
    .replaceAll('localhost:7700', `127.0.0.1:${server.port}`)
    .replaceAll('http://localhost:8000/v1', provider.url);

/** What a block prints. */
async function outputOf(language: string, text: string): Promise<string> {
  const program = language === 'js' ? process.execPath : 'bash';
  const flags = language === 'js' ? ['--input-type=module', '--eval'] : ['-euc'];
  try {
    const options = { cwd: ROOT, env: environment };
    return (await run(program, [...flags, text], options)).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`${text}\n${stdout}${stderr}`);
  }
}

async function tasksToEnd(): Promise<void> {
  await expect
    .poll(async () => (await client.tasks.getTasks({ statuses: ['enqueued', 'processing'] })).total)
    .toBe(0);
}

beforeAll(async () => {
  if (!hasTools) return;
  const folder = freshFolder();
  const flags = ['--dump-dir', join(folder, 'dumps'), '--snapshot-dir', join(folder, 'snapshots')];
  const allowed = ['--experimental-allowed-ip-networks', '127.0.0.1'];
  server = await TestServer.start({ flags: [...flags, ...allowed, '--master-key', KEY] });
  client = clientOf(server.url, KEY);
  environment = {
    ...process.env,
    PATH: `${writePrograms(folder)}:${process.env['PATH']}`,
    SVC_MASTER_KEY: KEY,
    GANNET_URL: server.url,
    GANNET_KEY: KEY,
    XDG_STATE_HOME: folder,
    TMPDIR: folder,
  };
});
afterAll(async () => {
  provider.close();
  await server?.stop();
  await cleanUp();
});

describe.skipIf(!hasTools)('what the documentation says to type (needs bash and curl)', () => {
  it.each(pages.filter(hasTried))('works as %s says', async (page) => {
    for (const { uid } of (await client.getIndexes({ limit: 1000 })).results)
      await client.deleteIndex(uid).waitTask();
    const before = (await client.tasks.getTasks({ statuses: ['failed'] })).total;
    let printed = '';
    for (const { language, mark, text } of codeBlocks(page)) {
      if (mark === 'tried') {
        printed = await outputOf(language, typed(text));
        await tasksToEnd();
      } else if (mark === 'answer' && language === 'json') {
        expect(JSON.parse(printed)).toMatchObject(JSON.parse(text) as object);
      } else if (mark === 'answer') {
        expect(printed).toContain(text);
      }
    }
    const failed = await client.tasks.getTasks({ statuses: ['failed'] });
    expect(failed.results.slice(0, failed.total - before).map(({ error }) => error)).toEqual([]);
  });
});
