/**
 * The program `gannet` against a real server: in a process of its own where exit, kill, standard
 * input or output are at issue, else in the process of the test.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Meilisearch } from 'meilisearch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allCommands } from '../../src/cli/commands.ts';
import { freePort } from '../support/free-port.ts';
import { type EndedCommand, runGannet } from '../support/run-gannet.ts';
import {
  emptiedServer,
  MASTER_KEY,
  SHARED_BACKUPS,
  type SharedServer,
} from '../support/shared-server.ts';
import { StallingProxy } from '../support/stalling-proxy.ts';
import { cleanUp, freshFolder, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

const PROGRAM = resolve(import.meta.dirname, '../../scripts/gannet.mjs');

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

let server: SharedServer;
let client: Meilisearch;
const folder = freshFolder();

beforeAll(async () => {
  server = await emptiedServer();
  client = server.client;
});
afterAll(cleanUp);

const environment = (): Record<string, string> => ({
  XDG_STATE_HOME: join(folder, 'state'),
  GANNET_URL: server.url,
  GANNET_KEY: MASTER_KEY,
});

const start = (args: readonly string[], env: Record<string, string> = {}): ChildProcess =>
  spawn(process.execPath, [PROGRAM, ...args], {
    env: { PATH: process.env['PATH'], HOME: folder, ...environment(), ...env },
    cwd: folder,
  });

async function ended(child: ChildProcess, input = ''): Promise<Ended> {
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (err += text));
  // A process that was killed has closed it.
  child.stdin?.on('error', () => undefined).end(input);
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return { code, out, err };
}

const gannet = (...args: string[]): Promise<EndedCommand> => runGannet(args, environment());
const linesOf = (text: string): unknown[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
const file = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const documents = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({ id: from + i, title: `film ${from + i}` }));
const ndjson = (list: readonly object[]): string =>
  list.map((document) => `${JSON.stringify(document)}\n`).join('');

describe('gannet', () => {
  it('lists its commands, and the options of each command', async () => {
    const bare = await ended(start([]));
    expect(bare).toMatchObject({ code: 0, out: expect.stringContaining('Commands:') });
    const helps = await Promise.all(
      (await allCommands())
        .filter(({ readsArguments }) => !readsArguments)
        .map(({ name }) => runGannet([name, '--help'])),
    );
    for (const help of helps)
      expect(help).toMatchObject({ code: 0, out: expect.stringContaining('Usage: gannet') });
  });

  it('exits with 2 for invalid usage, and with 1 for failures', async () => {
    expect(await ended(start(['serch']))).toMatchObject({
      code: 2,
      err: expect.stringContaining('did you mean `search`'),
    });
    expect(await gannet('search', 'nothing', '--body', '{')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--body takes JSON'),
    });
    expect(await ended(start(['search', 'nothing']))).toMatchObject({
      code: 1,
      err: expect.stringContaining('index_not_found'),
    });
    const json = await gannet('search', 'nothing', '--json');
    expect(linesOf(json.out)).toEqual([
      { error: { message: expect.any(String), code: 'index_not_found' } },
    ]);
  });

  it('imports files of every format, gzipped files and standard input', async () => {
    const files = [
      file('a.json', JSON.stringify(documents(0, 10))),
      file('b.ndjson', ndjson(documents(10, 20))),
      file('c.csv', 'id,title\n20,"film, 20"\n'),
      file('d.ndjson.gz', gzipSync(ndjson(documents(21, 30)))),
    ];
    expect(await gannet('import', ...files, '--index', 'films')).toMatchObject({ code: 0 });
    const args = ['import', '-', '--format', 'json', '--index', 'films', '--json'];
    const piped = await ended(start(args), JSON.stringify(documents(30, 35)));
    expect(linesOf(piped.out)).toMatchObject([{ indexUid: 'films', documents: 5, failures: [] }]);
    expect((await client.index('films').getStats()).numberOfDocuments).toBe(35);
  });

  it('prints the error of a failed task', async () => {
    const name = file('bad.ndjson', '{"id": 1}\n{"id": "no good id"}\n');
    const { code, err } = await gannet('import', name);
    expect(code).toBe(1);
    expect(err).toMatch(/task \d+ of \S*bad\.ndjson: .*no good id/);
  });

  it('resumes an import that was killed, and sends nothing twice', async () => {
    const count = 4000;
    const text = ndjson(Array.from({ length: count }, (_, id) => ({ id, t: 'x'.repeat(1000) })));
    const args = ['import', file('large.ndjson', text), '--part-size', '1'];
    const proxy = await StallingProxy.start(server.url);
    const sent = () => proxy.seen.filter(({ path }) => path.includes('/documents')).length;
    proxy.stalls = () => sent() > 2;
    const env = { GANNET_URL: proxy.url };
    const first = start(args, env);
    // Parts are sent one after the other, so the first two are in the state file.
    await until('a third part is sent', () => sent() > 2);
    first.kill('SIGKILL');
    await ended(first);
    proxy.stalls = () => false;
    const second = await runGannet(args, { ...environment(), ...env });
    proxy.stop();
    expect(second).toMatchObject({ code: 0, err: expect.stringContaining('resuming after') });
    const { total } = await client.tasks.getTasks({ indexUids: ['large'] });
    expect(total).toBe(Math.ceil(text.length / 1024 ** 2));
    expect((await client.index('large').getStats()).numberOfDocuments).toBe(count);
  });

  it('searches, and exports documents that can be imported again', async () => {
    const { out } = await gannet('search', 'films', 'film', '7', '--limit', '1', '--json');
    expect(linesOf(out)).toMatchObject([{ id: 7 }]);
    const all = await gannet('export', 'films');
    expect(linesOf(all.out)).toHaveLength(35);
  });

  it('keeps all digits of numbers in exports, searches and judgments', async () => {
    const id = '1234567890123456789';
    const line = `{"id":${id},"big":12345678901234567890,"year":1.0,"title":"Long"}\n`;
    await gannet('import', file('digits.ndjson', line), '--index', 'digits');
    expect((await gannet('export', 'digits')).out).toBe(line);
    expect((await gannet('search', 'digits')).out).toContain(id);
    const judgments = file('digits.judgments.ndjson', `{"q":"long","wanted":["${id}"]}\n`);
    const { out } = await gannet('judge', judgments, '--index', 'digits');
    expect(out).toContain('nDCG@10 1.0000');
  });

  it('ends without an error when its reader has read enough', async () => {
    const lines = ndjson(documents(0, 5000));
    await gannet('import', file('many.ndjson', lines), '--index', 'many');
    const shell = spawn(
      'bash',
      ['-c', `"${process.execPath}" "${PROGRAM}" export many | head -1`],
      {
        env: { PATH: process.env['PATH'], GANNET_URL: server.url, GANNET_KEY: MASTER_KEY },
      },
    );
    const { out, err } = await ended(shell);
    expect(linesOf(out)).toHaveLength(1);
    expect(err).not.toContain('EPIPE');
    const child = start(['search', 'many', 'film', '--limit', '1000']);
    child.stdout?.destroy();
    expect(await ended(child)).toMatchObject({ code: 0 });
  });

  it('imports CSV with another delimiter', async () => {
    const semicolons = file('semicolons.csv', 'id;title\n1;one\n2;two\n');
    const tabs = file('tabs.csv', 'id\ttitle\n3\tthree\n');
    const args = ['--index', 'delimited', '--delimiter'];
    expect(await gannet('import', semicolons, ...args, ';')).toMatchObject({ code: 0 });
    expect(await gannet('import', tabs, ...args, 'tab')).toMatchObject({ code: 0 });
    const { results } = await client.index('delimited').getDocuments();
    expect(results).toHaveLength(3);
    expect(results[2]).toEqual({ id: '3', title: 'three' });
    expect(await gannet('import', join(folder, 'a.json'), ...args, ';')).toMatchObject({ code: 2 });
  });

  it('prints JSON for every command that prints', async () => {
    const version = await runGannet(['--version', '--json']);
    expect(version.values).toEqual([{ version: expect.stringMatching(/^\d/) }]);
    const overview = await runGannet(['--json']);
    expect(overview.values).toEqual([
      expect.arrayContaining([expect.objectContaining({ name: 'keys' })]),
    ]);
    const help = await runGannet(['keys', '--help', '--json']);
    expect(help.values).toMatchObject([{ name: 'keys', options: { values: {} } }]);
    const completion = await runGannet(['completion', 'fish', '--json']);
    expect(completion.values).toMatchObject([{ shell: 'fish' }]);
    const unknown = await runGannet(['foo', '--json']);
    expect(unknown.values).toMatchObject([{ error: { code: null } }]);
  });

  it('judges searches, and prints the changes', async () => {
    const judgments = file(
      'judgments.ndjson',
      '{"q":"film 7","wanted":["7"]}\n{"q":"film 8","wanted":["nothing"]}\n',
    );
    const args = ['judge', judgments, '--index', 'films'];
    const before = join(folder, 'before.json');
    const first = await gannet(...args, '--save', before, '--min-ndcg', '60', '--json');
    expect(first.code).toBe(1);
    expect(linesOf(first.out)).toMatchObject([{ queries: 2, ndcg: 0.5, recall: 0.5, changes: [] }]);
    const filtered = ['--body', '{"filter":"id = 1"}', '--against', before];
    await client.index('films').updateFilterableAttributes(['id']).waitTask();
    expect((await gannet(...args, ...filtered)).out).toContain('1.000 -> 0.000  film 7');
    const synonyms = [
      '--settings',
      '{"synonyms":{"film":["nothing"]},"displayedAttributes":["id"]}',
    ];
    expect((await gannet(...args, ...synonyms)).out).toContain('nDCG@10 0.5000');
    const missing = await gannet(...args, '--against', join(folder, 'missing.json'));
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('file not found') });
    const rebuilt = await gannet(...args, '--settings', '{"searchableAttributes":["title"]}');
    expect(rebuilt).toMatchObject({ code: 1 });
    expect(rebuilt.err).toContain('rebuild documents of ');
  });

  it('lists, creates and deletes API keys', async () => {
    const made = await gannet('keys', 'create', '--name', 'shop', '--indexes', 'films', '--json');
    const [key] = linesOf(made.out) as [{ uid: string; key: string }];
    const asShop = await gannet('search', 'films', '--key', key.key);
    expect(asShop.code).toBe(0);
    const rules = '{"films":{}}';
    const signed = ['--api-key', key.key, '--uid', key.uid, '--rules', rules];
    const token = (await gannet('token', ...signed)).out.trim();
    expect((await gannet('search', 'films', '--key', token)).code).toBe(0);
    expect(await gannet('keys', 'list')).toMatchObject({
      out: expect.not.stringContaining(key.key),
      err: expect.stringContaining('`--values` also shows the keys'),
    });
    expect((await gannet('keys', '--values')).out).toContain(key.key);
    expect((await gannet('keys', 'lst')).err).toContain('did you mean `list`?');
    expect((await gannet('keys', 'delete', key.uid)).code).toBe(0);
    expect((await gannet('keys', '--json')).out).not.toContain(key.uid);
    expect((await gannet('search', 'films', '--key', token)).err).toContain('invalid_api_key');
  });

  it('creates a snapshot, restores it, and verifies the folder', async () => {
    expect(await gannet('backup')).toMatchObject({ code: 0 });
    const target = join(folder, 'restored');
    const snapshot = join(SHARED_BACKUPS, 'data.snapshot');
    const restored = await ended(start(['restore', snapshot, '--db-path', target]));
    expect(restored).toMatchObject({ code: 0 });
    expect(await gannet('verify', target)).toMatchObject({
      code: 0,
      out: expect.stringContaining('sound'),
    });
    expect(await gannet('restore', 'no.snapshot', '--db-path', target)).toMatchObject({ code: 1 });
    const again = await TestServer.start({ dbPath: target, masterKey: MASTER_KEY });
    expect((await again.client.index('films').getStats()).numberOfDocuments).toBe(35);
    await again.stop();
  });

  it('reports problems of a host, and none on a healthy host', async () => {
    const port = await freePort();
    const env = { SVC_HTTP_ADDR: `127.0.0.1:${port}`, SVC_MSTER_KEY: 'x', SVC_DB_PATH: 'fresh' };
    const sound = await ended(start(['doctor', '--json'], env));
    expect(sound.code).toBe(0);
    expect(linesOf(sound.out)).toContainEqual({
      about: 'environment',
      state: 'warning',
      message: expect.stringContaining('SVC_MSTER_KEY'),
    });
    const foreign = freshFolder();
    writeFileSync(join(foreign, 'thesis.doc'), '');
    const wrong = await gannet('doctor', '--db-path', foreign);
    expect(wrong).toMatchObject({ code: 1, out: expect.stringContaining('ERROR data folder') });
  });

  it('checks an object store, and names what is wrong with its URL', async () => {
    const place = freshFolder();
    const sound = await gannet('doctor', '--json', '--store', `file://${place}`);
    expect(sound.code).toBe(0);
    expect(linesOf(sound.out)).toContainEqual({
      about: 'of concurrent creations one wins',
      state: 'ok',
      message: 'kept',
    });
    const wrong = await gannet('doctor', '--store', 'https://host/bucket');
    expect(wrong).toMatchObject({ code: 1, out: expect.stringContaining('begin with `s3://`') });
  });

  it('prints completions that shells accept', async () => {
    const { out } = await gannet('completion', 'bash');
    writeFileSync(join(folder, 'completion.bash'), out);
    const shell = spawn(
      'bash',
      [
        '-c',
        'source completion.bash; COMP_WORDS=(gannet se); COMP_CWORD=1; _gannet; echo "${COMPREPLY[@]}"',
      ],
      { cwd: folder },
    );
    expect((await ended(shell)).out.trim().split(' ').sort()).toEqual(['search', 'serve']);
    expect(existsSync(join(folder, 'state'))).toBe(true);
    expect(readFileSync(join(folder, 'completion.bash'), 'utf8')).not.toContain('undefined');
  });
});
