/**
 * Imports that a stop interrupts, starts on a filled folder, where options come from, and two
 * fronts that see one index.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { processesOf } from '../support/processes.ts';
import {
  checkIndex,
  cleanUp,
  freshFolder,
  ServerProcess,
  TestServer,
} from '../support/test-server.ts';
import { until } from '../support/until.ts';

afterAll(cleanUp);

const rows = (first: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: first + i,
    text: `row ${first + i} of ${(first + i) * 7919}`,
  }));

/** Messages and codes of an error and of what caused it. */
function reasonsOf(error: unknown): string {
  const reasons: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) {
    reasons.push(at.message, String((at as NodeJS.ErrnoException).code));
  }
  return reasons.join(' ');
}

describe('SIGTERM during an import', () => {
  test('every acknowledged task is there after the next start, every request has an answer, no process is left', async () => {
    const server = await TestServer.start();
    const index = server.client.index('rows');
    const acknowledged: number[] = [];
    let isRefused = false;
    const send = async (writer: number) => {
      for (let round = 0; !isRefused; round += 1) {
        try {
          const first = (writer * 1000 + round) * 50;
          acknowledged.push(
            (await index.addDocuments(rows(first, 50), { primaryKey: 'id' })).taskUid,
          );
        } catch (error) {
          // Refused or closed between two requests; an answer in progress is never cut.
          expect(reasonsOf(error)).toMatch(/ECONNREFUSED|ECONNRESET|EPIPE|other side closed/i);
          isRefused = true;
        }
      }
    };
    const writers = [0, 1, 2, 3].map(send);
    await until('writes are acknowledged', () => acknowledged.length >= 8);
    const children = processesOf(server.pid).map(({ pid }) => pid);
    expect(children).toHaveLength(2);
    const exit = await server.stop();
    await Promise.all(writers);
    expect(exit.code).toBe(0);
    for (const pid of children) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(exit.stderr).not.toMatch(/ERROR|FATAL/);
    expect(acknowledged.length).toBeGreaterThan(0);
    const again = await TestServer.start({ dbPath: server.dbPath });
    const tasks = await again.client.tasks.waitForTasks(acknowledged);
    expect(
      tasks.every(
        ({ status, details }) => status === 'succeeded' && details?.indexedDocuments === 50,
      ),
    ).toBe(true);
    const { numberOfDocuments } = await again.client.index('rows').getStats();
    expect(numberOfDocuments % 50).toBe(0);
    expect(numberOfDocuments).toBeGreaterThanOrEqual(acknowledged.length * 50);
    expect((await again.stop()).code).toBe(0);
    const { code, report } = await checkIndex(server.dbPath);
    expect(code, report).toBe(0);
  });
});

describe('options', () => {
  test('a flag beats the environment, which beats config.toml, which beats the default', async () => {
    const cwd = freshFolder();
    const port = await freePort();
    const config = [
      `http_addr = "127.0.0.1:${await freePort()}"`,
      'db_path = "from-file"',
      'log_level = "ERROR"',
      'query_threads = 1',
    ].join('\n');
    writeFileSync(join(cwd, 'config.toml'), config);
    const env = {
      SVC_HTTP_ADDR: `127.0.0.1:${await freePort()}`,
      SVC_DB_PATH: 'from-environment',
    };
    const server = new ServerProcess(['--http-addr', `127.0.0.1:${port}`], { cwd, env });
    await server.ready();
    const { code, stderr, stdout } = await server.stop();
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`http://127.0.0.1:${port}`);
    expect(stdout).toContain(join(cwd, 'from-environment'));
    expect(stdout).toMatch(/query threads +1\n/);
    expect(stdout).toContain(join(cwd, 'config.toml'));
  });

  test('a config file that is wrong or absent stops the launch with one line', async () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, 'wrong.toml'), 'db_pth = "x"\n');
    const unknown = await new ServerProcess(['--config-file-path', 'wrong.toml'], { cwd }).exited;
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toMatch(
      /^gannet: unknown key `db_pth` in config file .*did you mean `db_path`\?\n$/,
    );
    const absent = await new ServerProcess([], { cwd, env: { SVC_CONFIG_FILE_PATH: 'none.toml' } })
      .exited;
    expect(absent.code).toBe(2);
    expect(absent.stderr).toMatch(/^gannet: config file .*none\.toml does not exist.*\n$/);
  });
});

describe('two fronts of one indexer, over TCP', () => {
  test('a write through one is visible through the other as soon as its task has succeeded', async () => {
    const dbPath = join(freshFolder(), 'data');
    const shared = [
      ...['--indexer-addr', `127.0.0.1:${await freePort()}`],
      ...['--indexer-secret', 'sixteen-bytes-ke'],
    ];
    const indexer = new ServerProcess(['--role', 'indexer', '--db-path', dbPath, ...shared]);
    const flags = ['--role', 'front', ...shared];
    const [left, right] = await Promise.all([
      TestServer.start({ dbPath, flags }),
      TestServer.start({ dbPath, flags }),
    ]);
    for (let round = 0; round < 20; round += 1) {
      const [writer, reader] = round % 2 === 0 ? [left, right] : [right, left];
      const { taskUid } = await writer.client
        .index('rows')
        .addDocuments(rows(round, 1), { primaryKey: 'id' });
      expect((await reader.client.tasks.waitForTask(taskUid)).status).toBe('succeeded');
      const { hits } = await reader.client.index('rows').search(`"of ${round * 7919}"`);
      expect(hits.map(({ id }) => id)).toEqual([round]);
      expect((await reader.client.index('rows').getStats()).numberOfDocuments).toBe(round + 1);
    }
    await left.client.index('rows').updateStopWords(['of']).waitTask();
    await left.client.deleteIndex('rows').waitTask();
    await left.killAll();
    expect(await right.client.getRawIndexes()).toMatchObject({ total: 0 });
    expect((await right.stop()).code).toBe(0);
    expect((await indexer.stop()).code).toBe(0);
  });
});
