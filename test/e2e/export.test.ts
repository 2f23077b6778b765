/** An export from one real server to another: documents, vectors, settings, a filter, secrets. */
import { afterAll, expect, test } from 'vitest';
import { sendJson } from '../support/http-request.ts';
import {
  freshUid,
  LOCAL_TARGETS,
  MASTER_KEY,
  type SharedServer,
  sharedServer,
} from '../support/shared-server.ts';
import { cleanUp, TestServer } from '../support/test-server.ts';

const FILMS = freshUid('films');
const BOOKS = freshUid('books');

afterAll(cleanUp);

test('an export makes the indexes of another server equal', async () => {
  const [source, target] = await Promise.all([
    TestServer.start({ flags: LOCAL_TARGETS }),
    sharedServer(),
  ]);
  const films = source.client.index(FILMS);
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
  const books = source.client.index(BOOKS);
  // An export does not wait for enqueued documents.
  await Promise.all([
    films.addDocuments(documents).waitTask({ interval: 10 }),
    books.addDocuments([{ isbn_id: 'a', title: 'Book' }]).waitTask({ interval: 10 }),
  ]);
  const answer = await source.call('POST', '/export', {
    ...sendJson({
      url: target.url,
      apiKey: MASTER_KEY,
      payloadSize: '16 KiB',
      indexes: { [FILMS]: { filter: 'year >= 1950' }, '*': {} },
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
      apiKey: 'a-mXXXXX...',
      payloadSize: '16 KiB',
      indexes: {
        [FILMS]: { filter: 'year >= 1950', overrideSettings: false, matchedDocuments: 250 },
        [BOOKS]: { filter: null, overrideSettings: false, matchedDocuments: 1 },
      },
    },
  });
  const read = async (server: SharedServer, path: string) =>
    (await server.call('GET', path)).json as Record<string, unknown>;
  const tasks = `/tasks?indexUids=${FILMS},${BOOKS}&statuses=`;
  await expect
    .poll(async () => (await read(target, `${tasks}enqueued,processing`))['total'])
    .toBe(0);
  expect((await read(target, `${tasks}failed`))['total']).toBe(0);
  const path = `/indexes/${FILMS}/documents?limit=1000&retrieveVectors=true&sort=id:asc`;
  const settings = `/indexes/${FILMS}/settings`;
  expect(await read(target, settings)).toEqual(await read(source, settings));
  const all = (await read(source, path.replace('&sort=id:asc', '&filter=year>=1950')))['results'];
  const sent = (await read(target, path.replace('&sort=id:asc', '')))['results'];
  expect(sent).toEqual(all);
  expect(await read(target, `/indexes/${BOOKS}/documents/a`)).toEqual({
    isbn_id: 'a',
    title: 'Book',
  });
  const { stdout, stderr } = await source.stop();
  expect(stdout + stderr).not.toContain(MASTER_KEY);
});
