/** Backups from the operator's side, on real servers. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { archiveOf } from '../support/imported-folder.ts';
import { cleanUp, clientOf, freshFolder, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

afterAll(cleanUp);

const DATE = '2024-05-06T07:08:09Z';
const MEMBERS = {
  'metadata.json': { dumpVersion: 'V6', dbVersion: '1.50.0', dumpDate: DATE },
  'indexes/films/metadata.json': {
    uid: 'films',
    primaryKey: 'id',
    createdAt: DATE,
    updatedAt: DATE,
  },
  'indexes/films/settings.json': { filterableAttributes: ['year'] },
  'indexes/films/documents.jsonl': [
    { id: 1, title: 'Carol', year: 2015 },
    { id: 2, title: 'Heat', year: 1995 },
  ],
};

describe('POST /dumps and GET /backups', () => {
  it('writes a dump that tar opens, lists the finished files, and hands them out byte by byte to keys that may', async () => {
    const folder = freshFolder();
    const key = 'aMasterKey16bytes';
    const server = await TestServer.start({
      flags: ['--dump-dir', folder, '--snapshot-dir', folder],
      env: { SVC_MASTER_KEY: key },
    });
    const ask = (path: string, as: string) =>
      fetch(server.url + path, { headers: { authorization: `Bearer ${as}` } });
    const client = clientOf(server.url, key);
    const documents = Array.from({ length: 500 }, (_, id) => ({ id, text: `${id} `.repeat(99) }));
    await client.index('films').addDocuments(documents).waitTask();
    const { details } = await client.createDump().waitTask();
    await client.createSnapshot().waitTask();
    const dump = `${details?.dumpUid}.dump`;
    const members = execFileSync('tar', ['-tzf', join(folder, dump)], { encoding: 'utf8' });
    expect(members.split('\n')).toContain('indexes/films/documents.jsonl');
    writeFileSync(join(folder, 'x.dump.part'), 'unfinished');
    writeFileSync(join(folder, '.x.dump'), 'hidden');
    symlinkSync('/etc/passwd', join(folder, 'link.dump'));
    mkdirSync(join(folder, 'folder.dump'));
    const { results } = (await (await ask('/backups', key)).json()) as {
      readonly results: readonly { readonly name: string; readonly bytes: number }[];
    };
    expect(results.map(({ name }) => name)).toEqual(['data.snapshot', dump]);
    for (const { name, bytes } of results) {
      const answer = await ask(`/backups/${name}`, key);
      expect(answer.headers.get('content-disposition')).toContain(name);
      const downloaded = Buffer.from(await answer.arrayBuffer());
      expect(downloaded.length).toBe(bytes);
      expect(downloaded.equals(readFileSync(join(folder, name)))).toBe(true);
    }
    for (const name of ['link.dump', 'folder.dump', '.x.dump', 'x.dump.part'])
      expect([name, (await ask(`/backups/${name}`, key)).status]).toEqual([name, 404]);
    const keyFor = async (actions: string[]) =>
      (await client.createKey({ actions: actions as never, indexes: ['*'], expiresAt: null })).key;
    const reader = await keyFor(['*.get', 'dumps.*', 'snapshots.create']);
    expect((await ask(`/backups/${dump}`, reader)).status).toBe(403);
    const downloader = await keyFor(['backups.get']);
    expect((await ask(`/backups/${dump}`, downloader)).status).toBe(200);
    await server.stop();
  });
});

describe('--schedule-snapshot', () => {
  it('makes snapshots by itself', async () => {
    const folder = freshFolder();
    const first = await TestServer.start({
      flags: ['--snapshot-dir', folder, '--schedule-snapshot', '1'],
    });
    const films = first.client.index('films');
    await films.addDocuments(MEMBERS['indexes/films/documents.jsonl']).waitTask();
    const { uid } = await first.client.createSnapshot().waitTask();
    await until('a snapshot was made by itself', async () => {
      const types = ['snapshotCreation' as const];
      const statuses = ['succeeded' as const];
      const { results } = await first.client.tasks.getTasks({ types, statuses });
      return results.some((task) => task.uid > uid) ? true : null;
    });
    await first.stop();
  });
});

describe('--import-dump', () => {
  it('that fails ends the start with one line, and leaves nothing', async () => {
    const dbPath = join(freshFolder(), 'data.ms');
    const dump = await archiveOf({ ...MEMBERS, 'keys.jsonl': '{"uid":"no uuid"}' });
    const server = new TestServer(await freePort(), dbPath, { flags: ['--import-dump', dump] });
    const { code, stderr } = await server.exited;
    expect(code).toBe(1);
    expect(stderr.trim().split('\n').at(-1)).toBe(
      'gannet: nothing was imported: a key of the dump has the uid no uuid',
    );
    expect([dbPath, `${dbPath}.import`].filter((path) => existsSync(path))).toEqual([]);
  });
});
