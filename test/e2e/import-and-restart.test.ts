/** An import that a stop interrupts. */
import { afterAll, describe, expect, test } from 'vitest';
import { processesOf } from '../support/processes.ts';
import { checkIndex, cleanUp, TestServer } from '../support/test-server.ts';
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
