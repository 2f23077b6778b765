/**
 * The processes as an operator meets them: start, signals, deaths, roles alone, refused starts.
 * Real processes throughout.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MeilisearchApiError } from 'meilisearch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { isAlive, processesOf } from '../support/processes.ts';
import { amount } from '../support/run-length.ts';
import { cleanUp, freshFolder, ServerProcess, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

afterAll(cleanUp);

const GC_FLAGS = new URL('../../dist/src/os/gc-flags.js', import.meta.url).href;

const FILMS = [
  { id: 1, title: 'Carol' },
  { id: 2, title: 'Wonder Woman' },
];

async function serverWithFilms(): Promise<TestServer> {
  const server = await TestServer.start();
  await server.client.index('films').addDocuments(FILMS).waitTask();
  return server;
}

const search = async (server: TestServer): Promise<unknown[]> =>
  (await server.client.index('films').search('wondre')).hits;

describe('start', () => {
  it('refuses an unknown option with one line', async () => {
    expect(await new ServerProcess(['--db-pth', 'x']).exited).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'gannet: unknown option `--db-pth`; did you mean `--db-path`?\n',
    });
  });

  it('in production with a master key warns of nothing, shows the key nowhere, and hands the indexer none', async () => {
    const env = { SVC_MASTER_KEY: 'a-key-nobody-guesses', OPENAI_API_KEY: 'a-key-of-openai' };
    const server = await TestServer.start({ env, flags: ['--env', 'production'] });
    expect(server.stdout).not.toContain('WARNING');
    expect(server.stdout).toContain(`curl ${server.url}/keys`);
    expect((await server.call('GET', '/indexes')).status).toBe(401);
    expect((await server.call('GET', '/')).json).toEqual({ status: 'Gannet is running' });
    expect((await server.call('GET', '/search-page/page.js')).status).toBe(404);
    if (existsSync('/proc/self/environ')) {
      const environmentOf = (name: 'front' | 'indexer') =>
        readFileSync(`/proc/${server.pidOf(name)}/environ`, 'utf8');
      expect(environmentOf('indexer')).toContain('"dbPath"');
      expect(environmentOf('indexer')).not.toContain('a-key-nobody-guesses');
      for (const name of ['front', 'indexer'] as const)
        expect(environmentOf(name)).not.toMatch(/SVC_MASTER_KEY|OPENAI_API_KEY/);
    }
    const { code, stdout, stderr } = await server.stop();
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain('a-key-nobody-guesses');
  });

  it('explains itself with --help and --version', async () => {
    const help = (await new ServerProcess(['--help']).exited).stdout;
    expect((await new ServerProcess(['-h']).exited).stdout).toBe(help);
    expect(help).toContain('--http-payload-size-limit');
    expect((await new ServerProcess(['--version']).exited).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('a server', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await serverWithFilms();
  });

  it('prints a banner with version, address and data folder, and warns when there is no master key', () => {
    expect(server.stdout).toMatch(/version\s+\d+\.\d+\.\d+/);
    expect(server.stdout).toContain(server.url);
    expect(server.stdout).toContain(server.dbPath);
    expect(server.stdout).toContain('WARNING: no master key is set');
  });

  it('is not disturbed by another one that is refused its port, with one line', async () => {
    const { code, stderr } = await new TestServer(server.port, join(freshFolder(), 'data')).exited;
    expect(code).toBe(1);
    expect(stderr).toMatch(/gannet: address 127\.0\.0\.1:\d+ .*in use.*--http-addr/);
    expect(stderr).not.toContain('    at ');
    expect(await search(server)).toHaveLength(1);
  });

  it('without TLS goes on after SIGHUP, so that a reload is not an end', async () => {
    server.signal('SIGHUP');
    await until('line about the signal', () =>
      (server.stdout + server.stderr).includes('no TLS files to reload') ? true : null,
    );
    expect(await search(server)).toHaveLength(1);
  });

  it('has a dead front back on the same address while the indexer goes on', async () => {
    const indexer = server.pidOf('indexer');
    process.kill(server.pidOf('front') ?? 0, 'SIGKILL');
    const hits = await until('searches again', () => search(server).catch(() => null));
    expect(hits).toHaveLength(1);
    expect(server.pidOf('indexer')).toBe(indexer);
  });

  it('searches while the indexer is dead, and writes wait for its return', async () => {
    const indexer = server.pidOf('indexer') ?? 0;
    process.kill(indexer, 'SIGKILL');
    await until('the indexer is missed', () =>
      server.stderr.includes('no connection to the indexer') ? true : null,
    );
    expect(await search(server)).toHaveLength(1);
    // A write waits some seconds; a busy machine may take longer to start the indexer.
    const { taskUid } = await until('a write is taken', () =>
      server.client
        .index('films')
        .addDocuments([{ id: 3, title: 'Wonder' }])
        .catch((error: MeilisearchApiError) => {
          expect(error.cause?.code).toBe('indexer_unavailable');
          return null;
        }),
    );
    expect((await server.client.tasks.waitForTask(taskUid)).status).toBe('succeeded');
    expect(await search(server)).toHaveLength(2);
    expect(server.pidOf('indexer')).not.toBe(indexer);
  });

  it('ends in order when the whole group gets SIGTERM', async () => {
    process.kill(-server.pid, 'SIGTERM');
    const { code, stderr } = await server.exited;
    expect(code).toBe(0);
    expect(stderr.indexOf('front: stopped')).toBeGreaterThan(-1);
    expect(stderr.indexOf('front: stopped'), stderr).toBeLessThan(
      stderr.indexOf('indexer: stopped'),
    );
  });
});

describe('Ctrl+C during a long batch', () => {
  // One thread, so that the batch takes long with little work.
  const flags = ['--max-indexing-threads', '1'];
  const documents = Array.from({ length: 40_000 }, (_, id) => ({
    id,
    text: `${id} ${(id * 7919).toString(36)} ${(id * 104_729).toString(36)} `.repeat(20),
  }));
  const body = documents.map((document) => JSON.stringify(document)).join('\n');

  async function untilItRuns(server: TestServer): Promise<void> {
    await until('the batch runs', async () => {
      const { status } = await server.client.tasks.getTask(0);
      expect(status).not.toBe('succeeded');
      return status === 'processing';
    });
  }

  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ flags });
    await server.call('POST', '/indexes/long/documents', {
      headers: { 'content-type': 'application/x-ndjson' },
      body,
    });
  });

  it('says what it waits for, and ends before the batch does', async () => {
    await untilItRuns(server);
    server.signal('SIGINT');
    const { code, stderr } = await server.exited;
    expect(code).toBe(0);
    expect(stderr).toContain('press Ctrl+C again to end at once');
    expect(stderr).toContain('for batch 0; if it has not ended by then');
    expect(stderr).not.toContain('batch finished');
  });

  it('a second time ends at once', async () => {
    server = await TestServer.start({ dbPath: server.dbPath, flags });
    await untilItRuns(server);
    server.signal('SIGINT');
    await until('the first is noticed', () => server.stderr.includes('press Ctrl+C again'));
    server.signal('SIGINT');
    expect((await server.exited).code).toBe(130);
  });

  it('leaves the batch to the next start', async () => {
    server = await TestServer.start({ dbPath: server.dbPath });
    expect((await server.client.tasks.waitForTask(0)).status).toBe('succeeded');
    expect((await server.client.index('long').getStats()).numberOfDocuments).toBe(documents.length);
    await server.stop();
  });
});

/** Of servers one after the other, each of which finds what the one before has left. */
const dbPath = join(freshFolder(), 'data');

describe('a server that logs JSON', () => {
  const linesOf = (text: string) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  let server: TestServer;
  beforeAll(async () => {
    const flags = ['--experimental-logs-mode', 'json', '--slow-search-ms', '1'];
    server = await TestServer.start({ dbPath, flags });
    await server.client.index('films').addDocuments(FILMS).waitTask();
  });

  it('names a slow search with its steps', async () => {
    const { headers } = await server.call('POST', '/indexes/films/search', {
      headers: { 'content-type': 'application/json' },
      body: '{"q":"wondre"}',
    });
    const isSlowSearch = ({ msg, kind }: Record<string, unknown>) =>
      msg === 'slow search' && kind === 'search';
    await until('line about the slow search', () =>
      server.stderr.includes('"slow search"') && server.stderr.endsWith('\n') ? true : null,
    );
    expect(linesOf(server.stderr).filter(isSlowSearch)).toMatchObject([
      {
        name: 'front',
        part: 'search',
        index: 'films',
        q: 'wondre',
        request: headers['x-request-id'],
        steps: { 'search > rank': expect.any(Number) },
      },
    ]);
  });

  it('answers what was accepted before SIGTERM ends it, and every line was JSON', async () => {
    // More than a task record may hold, so that what has arrived shows in the spool.
    const body = JSON.stringify([{ id: 9, title: 'late'.repeat(50_000) }]);
    const [spooled, rest] = [body.slice(0, -5), body.slice(-5)];
    const spool = join(server.dbPath, 'spool');
    const socket = connect(server.port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += String(chunk);
    });
    const head = `POST /indexes/films/documents HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    socket.write(head + spooled);
    await until('the request is being read', () => readdirSync(spool).length > 0);
    server.signal('SIGTERM');
    await until('the server takes nothing more', () =>
      server.call('GET', '/health').then(
        () => false,
        () => true,
      ),
    );
    socket.write(rest);
    const { code, stdout, stderr } = await server.exited;
    expect(code).toBe(0);
    expect(answer).toContain('202');
    expect(linesOf(stdout)).toMatchObject([{ msg: 'serving', url: server.url }]);
    expect(linesOf(stderr)).not.toEqual([]);
  });
});

describe('a supervisor that is killed', () => {
  it('has its children end by themselves', async () => {
    const server = await TestServer.start({ dbPath });
    await until('the late document', async () => {
      const { numberOfDocuments } = await server.client.index('films').getStats();
      return numberOfDocuments === FILMS.length + 1;
    });
    const children = [server.pidOf('front') ?? 0, server.pidOf('indexer') ?? 0];
    server.signal('SIGKILL');
    await until('the children have ended', () => (children.some(isAlive) ? null : true));
  });

  it.each(['indexer', 'front'] as const)(
    'while its children start takes the %s along that has not run yet',
    async (name) => {
      const server = new TestServer(await freePort(), dbPath);
      // Until it has become a program of its own, a forked child has its parent's title.
      const { children, held } = await until('both children are forked', () => {
        const found = processesOf(server.pid);
        const named = found.find(({ title }) => title.includes(name));
        return found.length === 2 && named !== undefined ? { children: found, held: named } : null;
      });
      process.kill(held.pid, 'SIGSTOP');
      server.signal('SIGKILL');
      await until('the supervisor is gone', () => (isAlive(server.pid) ? null : true));
      process.kill(held.pid, 'SIGCONT');
      await until('the children have ended', () =>
        children.some(({ pid }) => isAlive(pid)) ? null : true,
      );
    },
  );

  const ROUNDS = amount(2, 10);
  it('leaves the folder free, whenever in its start it dies', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const server = new TestServer(await freePort(), dbPath);
      const [first] = await until('a child is forked', () => {
        const found = processesOf(server.pid);
        return found.length === 0 ? null : found;
      });
      await sleep((round * 500) / ROUNDS);
      const pids = [first, ...processesOf(server.pid)].map((child) => child?.pid ?? 0);
      server.signal('SIGKILL');
      await until('the children have ended', () => (pids.some(isAlive) ? null : true));
    }
    const again = await TestServer.start({ dbPath });
    expect(await search(again)).toHaveLength(1);
    expect(await again.stop()).toMatchObject({ code: 0 });
  });
});

describe('roles alone', () => {
  it('print their banner also where `node --watch` runs them, as `npm run dev` does', async () => {
    const socket = join(freshFolder(), 'i.sock');
    const flags = [
      '--role',
      'indexer',
      '--db-path',
      join(freshFolder(), 'data'),
      '--indexer-addr',
      socket,
    ];
    const indexer = new ServerProcess(flags, { nodeFlags: ['--watch'] });
    await indexer.ready();
    expect(indexer.stdout).toContain(socket);
    await indexer.stop();
    expect(indexer.stderr).toContain('indexer: stopped');
  });
});

describe('garbage of threads that search', () => {
  /** A thread with 28 MB of live objects; V8 prints its collections and its next limit in KB. */
  const PROGRAM = `
    import { Worker } from 'node:worker_threads';
    import { collectForSearches } from ${JSON.stringify(GC_FLAGS)};
    collectForSearches();
    new Worker(
      \`const retained = Array.from({ length: 400_000 }, (_, i) => [i]);
      for (let i = 0; i < 1e6; i++) retained[i % 50_000] = [i, i];
      for (let i = 0; i < 3; i++) gc();\`,
      { eval: true, resourceLimits: { maxYoungGenerationSizeMb: 24 } },
    );
  `;

  it('is collected without helper threads, and when the heap has three times its live size', () => {
    const flags = ['--expose-gc', '--trace-gc-verbose', '--trace-gc-nvp'];
    const args = [...flags, '--input-type=module', '--eval', PROGRAM];
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    const helped = [...stdout.matchAll(/background\.scavenge\.parallel=([\d.]+)/g)];
    expect(helped.length).toBeGreaterThan(2);
    expect(helped.filter(([, ms]) => Number(ms) > 0)).toEqual([]);
    const limits = stdout.matchAll(/\[HeapController\].* old size: (\d+) KB, new limit: (\d+) KB/g);
    const [, liveKb, limitKb] = [...limits].at(-1) as unknown as [string, string, string];
    const youngKb = Number(limitKb) - 3 * Number(liveKb);
    expect(youngKb).toBeGreaterThan(0);
    expect(youngKb).toBeLessThan(24 << 10);
  });
});
