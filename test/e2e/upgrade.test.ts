/**
 * Data folders of every format that a release had, opened by this one with `--upgrade-db`: what was
 * asked of the server that made them is answered alike, and the tasks that waited go on.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { DATA_FORMAT } from '../../src/storage/data-folder/data-folder-check.ts';
import { FROZEN_FORMATS, frozenFolder } from '../support/frozen-folder.ts';
import type { HttpAnswer } from '../support/http-request.ts';
import { checkIndex, cleanUp, DIST, freshFolder, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

afterAll(cleanUp);

const HELD_SCHEDULER = pathToFileURL(
  join(import.meta.dirname, '../support/held-scheduler.mjs'),
).href;

type Json = Readonly<Record<string, unknown>>;

/** What an answer says of the documents, settings or tasks, apart from the moment of asking. */
const lasting = ({ processingTimeMs: _, requestUid: __, ...rest }: Json): Json => rest;

/** The recorded release showed the keys of remotes; this one masks them. */
const masked = (answer: Json): Json =>
  JSON.parse(
    JSON.stringify(answer).replaceAll('"searchApiKey":"its key"', '"searchApiKey":"XXX..."'),
  ) as Json;

/** Waiting tasks go on at the start: one may delete finished tasks, and others end. */
const GONE_UIDS: ReadonlySet<unknown> = new Set([1]);
const recordsOf = (answer: Json): Json[] =>
  (answer['results'] as Json[]).filter(({ uid }) => !GONE_UIDS.has(uid));

describe.each(FROZEN_FORMATS)('a data folder of format %i', (format) => {
  it('answers as it did, and its tasks go on', async () => {
    const { dbPath, masterKey, asked, waiting } = frozenFolder(format);
    const backups = freshFolder();
    const heldUntil = join(freshFolder(), 'go');
    const server = await TestServer.start({
      dbPath,
      env: {
        NODE_OPTIONS: `--import=${HELD_SCHEDULER}`,
        HELD_UNTIL: heldUntil,
        SCHEDULER: pathToFileURL(join(DIST, 'src/tasks/scheduler.js')).href,
      },
      flags: [
        ...['--upgrade-db', '--master-key', masterKey, '--log-level', 'ERROR'],
        ...['--dump-dir', backups, '--snapshot-dir', backups],
        ...['--experimental-allowed-ip-networks', 'any'],
      ],
    });
    const headers = { authorization: `Bearer ${masterKey}` };
    const call = (method: string, route: string, body?: unknown): Promise<HttpAnswer> =>
      server.call(method, route, {
        headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    const get = async (route: string): Promise<Json> => (await call('GET', route)).json as Json;

    // No waiting task begins until these answers have come.
    for (const { method, route, body, answer } of asked) {
      const now = (await call(method, route, body)).json as Json;
      // Later releases may tell more.
      if (!/^\/(tasks|batches)/.test(route))
        expect(lasting(now), route).toMatchObject(masked(lasting(answer)));
      else
        expect(recordsOf(now), route).toEqual(
          expect.arrayContaining(recordsOf(answer).map((one) => expect.objectContaining(one))),
        );
    }
    writeFileSync(heldUntil, '');
    const [webhook] = (await get('/webhooks'))['results'] as Json[];
    const deliveries = await get(`/webhooks/${webhook?.['uuid']}/deliveries`);
    expect(deliveries['results']).not.toEqual([]);

    // The two that wait for other servers are ended; all others come to their turn.
    const embedded = waiting.find(({ indexUid, type }) => indexUid === 'songs' && /Add/.test(type));
    const exported = waiting.find(({ type }) => type === 'export');
    const canceled = [embedded?.uid, exported?.uid];
    await call('POST', `/tasks/cancel?uids=${canceled.join(',')}`);
    const uids = waiting.map(({ uid }) => uid);
    const ended = await until('the tasks that waited have ended', async () => {
      const { results } = await get(`/tasks?limit=100&uids=${uids.join(',')}`);
      const tasks = results as Json[];
      return tasks.every(({ finishedAt }) => finishedAt !== null) ? tasks : null;
    });
    expect(ended).toHaveLength(uids.length);
    for (const { uid, type, status, error } of ended)
      expect([type, status], JSON.stringify(error)).toEqual([
        type,
        canceled.includes(uid as number) ? 'canceled' : 'succeeded',
      ]);
    const { results: upgrades } = await get('/tasks?types=upgradeDatabase');
    const noted = { upgradeFrom: 'v0.0.0', upgradeTo: expect.stringMatching(/^v\d+\.\d+\.\d+$/) };
    expect(upgrades).toMatchObject(
      format < DATA_FORMAT.version ? [{ status: 'succeeded', indexUid: null, details: noted }] : [],
    );
    expect(upgrades).toHaveLength(format < DATA_FORMAT.version ? 1 : 0);
    expect(existsSync(join(dbPath, 'upgraded.json'))).toBe(false);
    await expect.poll(() => readdirSync(join(dbPath, 'spool'))).toEqual([]);
    expect(readdirSync(backups).length).toBe(2);
    const films = await get('/indexes/films/documents?limit=1000&fields=id,late');
    const ids = new Set((films['results'] as Json[]).map(({ id }) => id));
    expect([1000, 1599, 2000].every((id) => ids.has(id))).toBe(true);
    expect(ids.has(7)).toBe(false);

    // What was paid for in the old folder is known: the provider is gone.
    const song = [{ id: 'again', text: 'amber song' }];
    const { taskUid } = (await call('POST', '/indexes/songs/documents', song)).json as Json;
    await until('the song is there', async () => {
      const task = await get(`/tasks/${taskUid}`);
      return task['status'] === 'succeeded' ? task : null;
    });
    await server.stop();
    const { code, report } = await checkIndex(dbPath);
    expect(code, report).toBe(0);
    for (const name of ['rocksdb', 'embeddings'])
      expect(existsSync(join(dbPath, name))).toBe(false);
  });
});
