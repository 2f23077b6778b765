/** Figures of usage of a real instance: added up over its threads, shown, and never sent unasked. */
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { TelemetryPreview } from '../../src/model/usage-report.ts';
import { cleanUp, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

afterAll(cleanUp);

const SECRET = 'Zq8secret';
const MASTER_KEY = `a master key with ${SECRET}`;
const CONNECTIONS = 6;

async function exercise(server: TestServer): Promise<void> {
  const headers = {
    authorization: `Bearer ${MASTER_KEY}`,
    'content-type': 'application/json',
    'user-agent': `${SECRET} (https://${SECRET}.example)`,
    'x-meilisearch-client': `Meilisearch JavaScript (v0.45.${SECRET})`,
  };
  const agents = Array.from({ length: CONNECTIONS }, () => new Agent({ keepAlive: true }));
  const ask = (agent: Agent, method: string, path: string, value: unknown) =>
    server.call(method, path, { agent, headers, body: JSON.stringify(value) });
  const [first] = agents as [Agent];
  await ask(first, 'PATCH', `/indexes/${SECRET}/settings`, { stopWords: [SECRET] });
  await ask(first, 'POST', `/indexes/${SECRET}/documents?primaryKey=${SECRET}`, [
    { [SECRET]: 1, text: SECRET },
  ]);
  await ask(first, 'POST', '/keys', {
    name: SECRET,
    actions: ['*'],
    indexes: ['*'],
    expiresAt: null,
  });
  for (const agent of agents)
    await ask(agent, 'POST', '/multi-search', {
      queries: [{ indexUid: SECRET, q: SECRET, filter: `${SECRET} = ${SECRET}` }],
    });
  for (const agent of agents) agent.destroy();
}

const previewOf = async (server: TestServer): Promise<TelemetryPreview> => {
  const headers = { authorization: `Bearer ${MASTER_KEY}` };
  return (await server.call('GET', '/telemetry/preview', { headers })).json as TelemetryPreview;
};

it('adds up all threads, holds no text of users, and is shown to keys with the action', async () => {
  const server = await TestServer.start({
    flags: ['--master-key', MASTER_KEY],
    env: { SVC_SERVER_PROVIDER: 'own-cellar' },
  });
  await exercise(server);
  expect((await server.call('GET', '/telemetry/preview', {})).status).toBe(401);
  // Requests are counted behind their answers.
  const preview = await until('all requests are counted', async () => {
    const shown = await previewOf(server);
    const searches = shown.bundles[0]?.events.find(({ event }) => event === 'multiSearch');
    return searches?.figures['searches.total_search_count'] === CONNECTIONS && shown;
  });
  expect(preview).toMatchObject({ isCounting: true, target: null, sendsAt: null });
  const [bundle] = preview.bundles;
  const figures = Object.fromEntries(
    (bundle?.events ?? []).map(({ event, figures: own }) => [event, own]),
  );
  expect(figures['requests']?.['user_agent']).toEqual(['Meilisearch JavaScript 0.45']);
  expect(figures['settingsChanged']?.['stop_words.total']).toBe(1);
  expect(figures['documentsWritten']?.['primary_key']).toBe('set');
  expect(bundle?.instance).toMatchObject({
    'infos.env': 'development',
    'infos.db_path': true,
    'infos.dump_dir': false,
    'system.server_provider': 'own-cellar',
  });
  expect(JSON.stringify(preview)).not.toMatch(/Zq8|secret|127\.0\.0\.1|example/);
  const uid = readFileSync(join(server.dbPath, 'instance-uid'), 'utf8').trim();
  expect(bundle?.instanceUid).toBe(uid);
  await server.stop();
});
