/** The first steps of the README, run as they are written, find what they promise. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Meilisearch } from 'meilisearch';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cleanUp, TestServer } from '../support/test-server.ts';

const hasCurl = spawnSync('curl', ['--version']).status === 0;
const steps = /^## Five minutes[\s\S]*?(?=^## )/m.exec(readFileSync('README.md', 'utf8'))?.[0] ?? '';
const blocks = (language: string): string[] =>
  [...steps.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, code = '']) => code);
const commands = blocks('sh').flatMap((block) => block.split(/^(?=curl )/m).filter((line) => line.startsWith('curl ')));

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
});
afterAll(async () => {
  await server.stop();
  await cleanUp();
});

const typed = (text: string): string => text.replaceAll('localhost:7700', `127.0.0.1:${server.port}`);

function run(command: string | undefined): unknown {
  const { stdout, stderr } = spawnSync('sh', ['-c', typed(command ?? 'false')], { encoding: 'utf8' });
  if (stdout === '') throw new Error(`${command}: ${stderr}`);
  return JSON.parse(stdout);
}

describe('README', () => {
  test.skipIf(!hasCurl)(
    'its curl commands add films, show the task and find one by a misspelt name (needs curl)',
    async () => {
      expect(commands).toHaveLength(3);
      const [add, task, search] = commands;
      expect(run(add)).toMatchObject({ taskUid: 0, status: 'enqueued' });
      await expect.poll(() => run(task), { timeout: 20_000 }).toMatchObject({ status: 'succeeded' });
      expect(run(search)).toMatchObject({ hits: [{ title: 'Wonder Woman' }] });
    },
  );

  test('its program with the official client prints the film that it added', async () => {
    const [program = ''] = blocks('js');
    const [, imported, body = ''] = /^import \{ (\w+) \} from 'meilisearch';\n([\s\S]*)$/.exec(program) ?? [];
    expect(imported).toBe('Meilisearch');
    const printed: unknown[] = [];
    const AsyncFunction = (async () => undefined).constructor as new (
      ...args: string[]
    ) => (...args: unknown[]) => Promise<void>;
    await new AsyncFunction('Meilisearch', 'console', typed(body))(Meilisearch, {
      log: (value: unknown) => printed.push(value),
    });
    expect(printed).toEqual([[expect.objectContaining({ id: 4 })]]);
  });
});
