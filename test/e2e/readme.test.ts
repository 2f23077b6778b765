/** The commands and programs of the README, run as they are written, do what they promise. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type Config, Meilisearch } from 'meilisearch';
import { generateTenantToken } from 'meilisearch/token';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cleanUp, clientOf, TestServer } from '../support/test-server.ts';
import { PATIENCE_MS } from '../support/until.ts';

const hasCurl = spawnSync('curl', ['--version']).status === 0;
const readme = readFileSync('README.md', 'utf8');

/** What programs of the README import, with the patience of tests. */
class PatientClient extends Meilisearch {
  constructor(config: Config) {
    super({ defaultWaitOptions: { timeout: PATIENCE_MS }, ...config });
  }
}

/** Code blocks of the section with this title. */
function blocks(title: string, language: string): string[] {
  const section = new RegExp(`^## ${title}[\\s\\S]*?(?=^## )`, 'm').exec(readme)?.[0] ?? '';
  const fences = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm');
  return [...section.matchAll(fences)].map(([, code = '']) => code);
}
const curlCommands = (title: string): string[] =>
  blocks(title, 'sh').flatMap((block) =>
    block.split(/^(?=curl )/m).filter((line) => line.startsWith('curl ')),
  );

const KEY = 'a master key of some length';
let server: TestServer;

/** As anybody starts it: no other server of these tests warms up. */
beforeAll(async () => {
  server = await TestServer.start({ isWarmedUp: true });
});
afterAll(async () => {
  await server.stop();
  await cleanUp();
});

const typed = (text: string): string =>
  text.replaceAll('localhost:7700', `127.0.0.1:${server.port}`);

function run(command: string | undefined): unknown {
  const { stdout, stderr } = spawnSync('sh', ['-c', typed(command ?? 'false')], {
    encoding: 'utf8',
    env: { ...process.env, SVC_MASTER_KEY: KEY },
  });
  if (stdout === '') throw new Error(`${command}: ${stderr}`);
  return JSON.parse(stdout);
}

/** Runs a program of the README with values for what it imports and leaves open. */
async function runProgram(body: string, given: Readonly<Record<string, unknown>>) {
  const AsyncFunction = (async () => undefined).constructor as new (
    ...args: string[]
  ) => (...args: unknown[]) => Promise<unknown>;
  return new AsyncFunction(...Object.keys(given), typed(body))(...Object.values(given));
}

describe('README', () => {
  test.skipIf(!hasCurl)(
    'its curl commands add films, show the task and find one by a misspelt name (needs curl)',
    async () => {
      const [add, task, search, ...more] = curlCommands('Five minutes');
      expect(more).toEqual([]);
      expect(run(add)).toMatchObject({ taskUid: 0, status: 'enqueued' });
      await expect.poll(() => run(task)).toMatchObject({ status: 'succeeded' });
      expect(run(search)).toMatchObject({ hits: [{ title: 'Paddington' }] });
    },
  );

  test('its program with the official client prints the film that it added', async () => {
    const [program = ''] = blocks('Five minutes', 'js');
    const [, imported, body = ''] =
      /^import \{ (\w+) \} from 'meilisearch';\n([\s\S]*)$/.exec(program) ?? [];
    expect(imported).toBe('Meilisearch');
    const printed: unknown[] = [];
    const log = (value: unknown) => printed.push(value);
    await runProgram(body, { Meilisearch: PatientClient, console: { log } });
    expect(printed).toEqual([[expect.objectContaining({ id: 104 })]]);
  });

  test.skipIf(!hasCurl)(
    'its keys open what they are for, its tenant token only what is theirs (needs curl)',
    async () => {
      expect(await server.stop()).toMatchObject({
        code: 0,
        stderr: expect.not.stringMatching(/warm/),
      });
      server = await TestServer.start({ env: { SVC_MASTER_KEY: KEY } });
      const owner = clientOf(server.url, KEY);
      await owner
        .index('films')
        .addDocuments([
          { id: 1, title: 'Carol', tenant: 7 },
          { id: 2, title: 'Caramel', tenant: 8 },
        ])
        .waitTask();
      const [list, create, filterable, ...more] = curlCommands('Keys');
      expect(more).toEqual([]);
      expect(run(list)).toMatchObject({ total: 4 });
      const { key, uid } = run(create) as { readonly key: string; readonly uid: string };
      const { taskUid } = run(filterable) as { readonly taskUid: number };
      await owner.tasks.waitForTask(taskUid);
      const [program = ''] = blocks('Keys', 'js');
      const [, body = ''] =
        /^import \{ generateTenantToken \} from 'meilisearch\/token';\n([\s\S]*)$/.exec(program) ??
        [];
      const token = await runProgram(`${body}return token;`, { generateTenantToken, key, uid });
      const tenant = clientOf(server.url, String(token));
      const { hits } = await tenant.index('films').search('');
      expect(hits).toEqual([expect.objectContaining({ tenant: 7 })]);
    },
  );

  test('shows no key to npm, which prints the arguments of what it runs', () => {
    expect(readme).not.toMatch(/npm [^\n]*--master-key/);
  });
});
