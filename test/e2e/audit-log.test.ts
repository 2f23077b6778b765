/** The audit log of real processes: changes and refusals with their callers, pages, no secrets. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf } from '../support/error-code.ts';
import { runGannet } from '../support/run-gannet.ts';
import { cleanUp, clientOf, TestServer } from '../support/test-server.ts';

const MASTER_KEY = 'the master key of the audit log';
const FLAGS = ['--master-key', MASTER_KEY, '--audit-log'];

let server: TestServer;
const as = (apiKey: string) => clientOf(server.url, apiKey);
type Line = Readonly<Record<string, unknown>>;
interface Page {
  readonly results: readonly Line[];
  readonly next: string | null;
}

async function page(query = 'limit=1000', key = MASTER_KEY): Promise<Page> {
  const answer = await server.call('GET', `/audit-log?${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(answer.status).toBe(200);
  return answer.json as Page;
}
const written = () => {
  const folder = join(server.dbPath, 'audit');
  return readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
};

beforeAll(async () => {
  server = await TestServer.start({ flags: FLAGS });
});
afterAll(async () => {
  const exit = await server.stop();
  await cleanUp();
  expect(exit.code).toBe(0);
});

describe('the audit log', () => {
  it('says who changed what, by which task, and who was refused; no secret is in it', async () => {
    const master = as(MASTER_KEY);
    const key = await master.createKey({
      name: 'importer',
      actions: ['documents.add', 'indexes.create', 'tasks.get'],
      indexes: ['*'],
      expiresAt: null,
    });
    const task = await as(key.key)
      .index('films')
      .addDocuments([{ id: 1, title: 'a secret title' }])
      .waitTask();
    await master.index('films').search('secret words');
    expect(await codeOf(as(key.key).index('films').search(''))).toBe('invalid_api_key');
    expect(await codeOf(as('wrong-secret').getKeys())).toBe('invalid_api_key');
    await master.deleteKey(key.key);
    const { results, next } = await page();
    expect(next).toBeNull();
    const common = { address: '127.0.0.1', time: expect.stringMatching(/^\d{4}-.*Z$/) };
    expect(results).toEqual(
      [
        { who: 'master', method: 'DELETE', route: '/keys/:uidOrKey', target: key.uid, status: 204 },
        { who: null, method: 'GET', route: '/keys', status: 403, error: 'invalid_api_key' },
        {
          who: `key:${key.uid}`,
          name: 'importer',
          method: 'POST',
          route: '/indexes/:indexUid/search',
          index: 'films',
          status: 403,
          error: 'invalid_api_key',
        },
        {
          who: `key:${key.uid}`,
          name: 'importer',
          method: 'POST',
          route: '/indexes/:indexUid/documents',
          index: 'films',
          task: task.uid,
          status: 202,
        },
        { who: 'master', method: 'POST', route: '/keys', target: key.uid, status: 201 },
      ].map((line) => ({ ...common, request: expect.stringMatching(/^[0-9a-f-]{36}$/), ...line })),
    );
    for (const secret of [MASTER_KEY, key.key, 'wrong-secret', 'secret title', 'secret words'])
      expect(written()).not.toContain(secret);
  });

  it('has the id of the request', async () => {
    const { headers } = await server.call('DELETE', '/indexes/nothing', {
      headers: { authorization: `Bearer ${MASTER_KEY}` },
    });
    expect((await page('limit=1')).results[0]).toMatchObject({
      request: headers['x-request-id'],
      index: 'nothing',
    });
  });

  it('is listed by pages, and by the command line', async () => {
    const all = (await page()).results;
    const found: Line[] = [];
    for (let from: string | null = ''; from !== null; ) {
      const each: Page = await page(`limit=2${from && `&from=${encodeURIComponent(from)}`}`);
      found.push(...each.results);
      from = each.next;
    }
    expect(found).toEqual(all);
    expect((await page('from=2020-01-01')).results).toEqual([]);
    const flags = ['--url', server.url, '--key', MASTER_KEY];
    const printed = await runGannet(['audit', '--limit', '2', ...flags]);
    expect(printed.out.trimEnd().split('\n')).toEqual([
      expect.stringContaining('DELETE /indexes/:indexUid  nothing'),
      expect.stringContaining('DELETE /keys/:uidOrKey'),
    ]);
    expect((await runGannet(['audit', '--json', ...flags])).values).toEqual(all);
  });

  it('needs the action `audit.get`, which `*.get` does not include', async () => {
    const made = (actions: string[]) =>
      as(MASTER_KEY).createKey({ actions, indexes: ['*'], expiresAt: null } as never);
    const [reader, auditor] = [await made(['*.get']), await made(['audit.get'])];
    const refused = await server.call('GET', '/audit-log', {
      headers: { authorization: `Bearer ${reader.key}` },
    });
    expect(refused.status).toBe(403);
    expect((await page('limit=1', auditor.key)).results[0]).toMatchObject({
      who: `key:${reader.uid}`,
      route: '/audit-log',
    });
  });
});
