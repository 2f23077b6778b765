/** An export from one real server to another: documents, vectors, settings, a filter, secrets. */
import { afterAll, expect, test } from 'vitest';
import { sendJson } from '../support/http-request.ts';
import { cleanUp, TestServer } from '../support/test-server.ts';

const KEY = 'the-master-key-of-the-target';

afterAll(cleanUp);

test('an export makes the indexes of another server equal', async () => {
  const [source, target] = await Promise.all([
    TestServer.start({ flags: ['--experimental-allowed-ip-networks', '127.0.0.1'] }),
    TestServer.start({ flags: ['--master-key', KEY] }),
  ]);
  const films = source.client.index('films');
  await films.updateSettings({
    filterableAttributes: ['year'],
    synonyms: { film: ['movie'] },
    embedders: { own: { source: 'userProvided', dimensions: 2 } },
  });
  const documents = Array.from({ length: 500 }, (_, id) => ({
    id,
    title: `Film ${id}`,
    year: 1900 + (id % 100),
    _vectors: { own: [id, 1] },
  }));
  const books = source.client.index('books');
  // An export does not wait for enqueued documents.
  await Promise.all([
    films.addDocuments(documents).waitTask({ interval: 10 }),
    books.addDocuments([{ isbn_id: 'a', title: 'Book' }]).waitTask({ interval: 10 }),
  ]);
  const answer = await source.call('POST', '/export', {
    ...sendJson({
      url: target.url,
      apiKey: KEY,
      payloadSize: '16 KiB',
      indexes: { films: { filter: 'year >= 1950' }, '*': {} },
    }),
  });
  expect(answer.status).toBe(200);
  const { taskUid } = answer.json as { taskUid: number };
  const task = await source.client.tasks.waitForTask(taskUid, { interval: 20 });
  expect(task).toMatchObject({
    type: 'export',
    status: 'succeeded',
    details: {
      url: target.url,
      apiKey: 'theXXXXX...',
      payloadSize: '16 KiB',
      indexes: {
        films: { filter: 'year >= 1950', overrideSettings: false, matchedDocuments: 250 },
        '*': { filter: null, overrideSettings: false, matchedDocuments: 1 },
      },
    },
  });
  const authorized = { headers: { authorization: `Bearer ${KEY}` } };
  const read = async (server: TestServer, path: string) =>
    (await server.call('GET', path, server === target ? authorized : {})).json as Record<
      string,
      unknown
    >;
  await expect
    .poll(async () => (await read(target, '/tasks?statuses=enqueued,processing'))['total'])
    .toBe(0);
  expect((await read(target, '/tasks?statuses=failed'))['total']).toBe(0);
  const path = '/indexes/films/documents?limit=1000&retrieveVectors=true&sort=id:asc';
  const settings = '/indexes/films/settings';
  expect(await read(target, settings)).toEqual(await read(source, settings));
  const all = (await read(source, path.replace('&sort=id:asc', '&filter=year>=1950')))['results'];
  const sent = (await read(target, path.replace('&sort=id:asc', '')))['results'];
  expect(sent).toEqual(all);
  expect(await read(target, '/indexes/books/documents/a')).toEqual({ isbn_id: 'a', title: 'Book' });
  const { stdout, stderr } = await source.stop();
  expect(stdout + stderr).not.toContain(KEY);
  await target.stop();
});
