/**
 * A segment file whose bytes have changed under a stopped server: every answer is right or an error
 * that names the file. Real processes throughout.
 */
import {
  closeSync,
  cpSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amount } from '../support/run-length.ts';
import { cleanUp, freshFolder, TestServer } from '../support/test-server.ts';
import { until } from '../support/until.ts';

afterAll(cleanUp);

const WORDS = 'amber basin cedar delta ember fjord grove haven inlet jetty knoll larch mesa'.split(
  ' ',
);
const wordAt = (i: number): string => WORDS[i % WORDS.length] ?? '';
const DOCUMENTS = Array.from({ length: 4000 }, (_, id) => ({
  id,
  title: `${wordAt(id)} ${wordAt(id * 7 + 3)} ${id}`,
  overview: Array.from({ length: 30 }, (_, i) => wordAt(id * 31 + i * i)).join(' '),
}));

const REQUESTS: readonly (readonly [string, string, unknown?])[] = [
  ...WORDS.map((q) => ['POST', '/indexes/films/search', { q, limit: 5 }] as const),
  ...[0, 999, 2000, 3999].map((id) => ['GET', `/indexes/films/documents/${id}`] as const),
  ['GET', '/indexes/films/documents?offset=1500&limit=3'],
  ['POST', '/multi-search', { queries: [{ indexUid: 'films', q: 'amber basin', limit: 3 }] }],
];

interface Answered {
  readonly status: number;
  readonly text: string;
}

async function askAll(server: TestServer): Promise<Answered[]> {
  return Promise.all(
    REQUESTS.map(async ([method, path, body]) => {
      const { status, text } = await server.call(method, path, {
        ...(body !== undefined && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      });
      return { status, text: text.replace(/"(processingTimeMs|requestUid)":("[^"]*"|\d+)/g, '') };
    }),
  );
}

/** Writes over a third of the file, from `start` of its length on. */
function damage(file: string, start: number): void {
  const { size } = statSync(file);
  const descriptor = openSync(file, 'r+');
  const bytes = Buffer.alloc(Math.floor(size / 3), 0xa5);
  writeSync(descriptor, bytes, 0, bytes.length, Math.floor(size * start));
  closeSync(descriptor);
}

const codeOf = ({ text }: Answered): string => (JSON.parse(text) as { code: string }).code;

describe('a damaged segment', () => {
  let sound: string;
  let right: readonly Answered[];
  beforeAll(async () => {
    const first = await TestServer.start();
    await first.client.index('films').addDocuments(DOCUMENTS).waitTask();
    await first.client
      .index('sound')
      .addDocuments([{ id: 1, title: 'amber' }])
      .waitTask();
    right = await askAll(first);
    sound = first.dbPath;
    await first.stop();
  });

  it.each([0.33, 0.05, 0.6].slice(0, amount(1, 3)))(
    'a third of it from %d on: right answers or errors that name it',
    async (start) => {
      const dbPath = join(freshFolder(), 'data');
      cpSync(sound, dbPath, { recursive: true, preserveTimestamps: true });
      const folder = join(dbPath, 'indexes', '0');
      const [segment] = readdirSync(folder).filter((name) => name.endsWith('.seg'));
      if (segment === undefined) throw new Error('no segment was written');
      expect(readFileSync(join(dbPath, 'verified-files.json'), 'utf8')).toContain(segment);
      damage(join(folder, segment), start);

      const server = await TestServer.start({ dbPath });
      const answers = await askAll(server);
      for (const [i, answer] of answers.entries()) {
        if (answer.text === right[i]?.text) continue;
        expect(answer.status, answer.text).toBe(500);
        expect(codeOf(answer)).toBe('invalid_store_file');
        expect(answer.text).toContain(segment);
      }
      const health = await until('the front has heard of it', async () => {
        const { json } = await server.call('GET', '/health');
        return (json as { status: string }).status === 'damaged' ? json : null;
      });
      expect(health).toEqual({ status: 'damaged', damagedFiles: 1 });
      expect(server.stderr).toContain(`${segment} is damaged at byte`);
      expect((await server.client.index('sound').search('amber')).hits).toHaveLength(1);

      const task = await server.client
        .index('films')
        .addDocuments([{ id: 5 }])
        .waitTask();
      expect(task).toMatchObject({ status: 'failed', error: { code: 'invalid_store_file' } });
      expect((await server.client.index('films').delete().waitTask()).status).toBe('succeeded');
      await expect
        .poll(async () => (await server.call('GET', '/health')).json)
        .toEqual({ status: 'available' });
      await server.stop();
    },
  );
});
