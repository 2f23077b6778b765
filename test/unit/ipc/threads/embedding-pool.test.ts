/** The queue of the embedding thread is bounded. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { EmbeddingPool } from '../../../../src/ipc/threads/embedding-pool.ts';

/** An export that never ends. */
const ENTRY = 'export const embed = () => new Promise(() => setInterval(() => 0, 60_000));';
/** As many as run at once, and those that may wait. */
const [RUNNING, WAITING] = [256, 3];

const folder = mkdtempSync(join(tmpdir(), 'gannet-embedding-pool-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('a task beyond what runs and may wait is refused, with the number of those that wait', async () => {
  const file = join(folder, 'entry.mjs');
  writeFileSync(file, ENTRY);
  const entry = pathToFileURL(file).href;
  const pool = new EmbeddingPool({ entry, data: null, waitingMax: WAITING });
  const others = Array.from({ length: RUNNING + WAITING }, () =>
    pool.run('embed', null).catch(() => 'lost'),
  );
  await expect(pool.run('embed', null)).rejects.toThrow(`${WAITING} others wait`);
  await pool.close();
  expect(new Set(await Promise.all(others))).toEqual(new Set(['lost']));
});
