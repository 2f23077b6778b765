/**
 * Who may use a data folder: one server at a time, processes that hold its secret, no other user;
 * and what a start says of a folder that it cannot use. Real processes throughout.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { cleanUp, freshFolder, ServerProcess, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

afterAll(cleanUp);

/** Every file and folder below, with its permissions. */
function modesBelow(root: string): Map<string, string> {
  const found = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return new Map(
    ['.', ...found].flatMap((name) => {
      // A running server may have replaced the file since the list was made.
      const stats = statSync(join(root, name), { throwIfNoEntry: false });
      return stats === undefined ? [] : [[name, (stats.mode & 0o777).toString(8)] as const];
    }),
  );
}

describe('the folder of a running server', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  it('gives only the owner access to itself, its parts and its files', async () => {
    await server.client
      .index('films')
      .addDocuments([{ id: 1, title: 'Carol' }])
      .waitTask();
    const modes = modesBelow(server.dbPath);
    expect(modes.get('indexer.secret')).toBe('600');
    for (const [name, mode] of modes) expect(mode, name).toMatch(/^[67]00$/);
    expect(modes.get('.')).toBe('700');
    expect([...modes.keys()].some((name) => name.endsWith('.seg'))).toBe(true);
    expect(modes.has('analytics')).toBe(false);
  });

  it('ends a second server that has never listened, with the process that holds the folder', async () => {
    const second = new TestServer(await freePort(), server.dbPath);
    let answers = 0;
    let hasEnded = false;
    void second.exited.then(() => {
      hasEnded = true;
    });
    while (!hasEnded) {
      answers += await second.call('GET', '/indexes').then(
        () => 1,
        () => 0,
      );
    }
    const { code, stderr } = await second.exited;
    expect(answers).toBe(0);
    expect(code).toBe(1);
    expect(stderr).toContain(`already in use by process ${server.pidOf('indexer')}:`);
    expect(stderr).not.toContain('    at ');
    expect((await second.exited).stdout).toBe('');
  });
});

describe('the secret', () => {
  it('keeps a front that holds another one from the indexer', async () => {
    const dbPath = join(freshFolder(), 'data');
    const address = ['--indexer-addr', `127.0.0.1:${await freePort()}`];
    const indexer = new ServerProcess([
      ...['--role', 'indexer', '--db-path', dbPath, ...address],
      ...['--indexer-secret', 'sixteen-bytes-ke'],
    ]);
    await indexer.ready();
    const front = new TestServer(await freePort(), dbPath, {
      flags: ['--role', 'front', ...address, '--indexer-secret', 'another-sixteen-b'],
    });
    await until('the front says why', () =>
      front.stderr.includes('does not hold the same secret') ? true : null,
    );
    expect(indexer.stderr + front.stderr).not.toContain('sixteen-b');
    await front.stop();
    await indexer.stop();
  });
});

/** Node processes that start with this variable are listed in the file. */
function processLog(): { readonly env: Record<string, string>; readonly pids: () => Set<string> } {
  const folder = freshFolder();
  const [file, preload] = [join(folder, 'pids'), join(folder, 'preload.mjs')];
  writeFileSync(file, '');
  writeFileSync(
    preload,
    `import { appendFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(file)}, process.pid + '\\n');`,
  );
  return {
    env: { NODE_OPTIONS: `--import=${pathToFileURL(preload).href}` },
    pids: () => new Set(readFileSync(file, 'utf8').trim().split('\n')),
  };
}

/** How a start on this folder ends, before any further process begins. */
async function refusedStart(dbPath: string, user?: number): Promise<string> {
  const before = modesBelow(dirname(dbPath));
  const { env, pids } = processLog();
  // Another user may not read the temporary folder.
  const options = user === undefined ? { env } : { user };
  const server = new TestServer(await freePort(), dbPath, options);
  const { code, stderr, stdout } = await server.exited;
  if (user === undefined) expect(pids()).toEqual(new Set([String(server.pid)]));
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(modesBelow(dirname(dbPath))).toEqual(before);
  expect(stderr).toMatch(/^gannet: [^\n]+\n$/);
  return stderr;
}

function folderWith(files: Readonly<Record<string, string>>): string {
  const dbPath = join(freshFolder(), 'data');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dbPath, name)), { recursive: true });
    writeFileSync(join(dbPath, name), text);
  }
  return dbPath;
}

const NOBODY = 65_534;

/** Reasons and advice: `test/unit/storage/data-folder`. */
describe('a folder that cannot be used is refused with one line, by the first process, unwritten', () => {
  it('of Meilisearch, with what to do about it', async () => {
    const dbPath = folderWith({
      VERSION: '1.50.0',
      'auth/data.mdb': '',
      'indexes/5f0a/data.mdb': '',
      'tasks/data.mdb': '',
    });
    const line = await refusedStart(dbPath);
    expect(line).toContain('Meilisearch 1.50.0');
    expect(line).toContain('make a dump there (`POST /dumps`) and import it here');
    expect(readFileSync(join(dbPath, 'VERSION'), 'utf8')).toBe('1.50.0');
  });

  it('that this user may not write to', async () => {
    const dbPath = folderWith({});
    mkdirSync(dbPath);
    chmodSync(dirname(dbPath), 0o755);
    chmodSync(dbPath, 0o555);
    const isRoot = process.getuid?.() === 0;
    expect(await refusedStart(dbPath, isRoot ? NOBODY : undefined)).toMatch(
      /has no permission to read and write .* \(EACCES\)/,
    );
  });
});
