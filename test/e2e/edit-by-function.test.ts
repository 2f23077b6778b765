/** The official client edits documents by functions, against real processes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeOf } from '../support/error-code.ts';
import { type SharedServer, sharedServer } from '../support/shared-server.ts';

type Film = Readonly<Record<string, unknown>>;

let server: SharedServer;
const uids: string[] = [];

beforeAll(async () => {
  server = await sharedServer();
  await server.client.updateExperimentalFeatures({ editDocumentsByFunction: true });
});
afterAll(async () => {
  await server.client.updateExperimentalFeatures({ editDocumentsByFunction: false });
  for (const uid of uids) await server.client.deleteIndex(uid);
});

/** An index with three films. */
async function films(uid: string) {
  uids.push(uid);
  const index = server.client.index<Film>(uid);
  await index.updateFilterableAttributes(['id', 'genre']).waitTask();
  const ndjson = [
    '{"id":1,"title":"Carol","genre":"drama","price":2.0,"tags":["a"]}',
    '{"id":2,"title":"Alien","genre":"horror","price":3,"tags":[]}',
    '{"id":3,"title":"Oscar","genre":"drama","price":5,"exact":1.10}',
  ].join('\n');
  await index
    .addDocumentsFromString(ndjson, 'application/x-ndjson', { primaryKey: 'id' })
    .waitTask();
  return index;
}

const text = async (uid: string, id: number) =>
  (await server.call('GET', `/indexes/${uid}/documents/${id}`)).text;

describe('documents are edited by a function', () => {
  test('all of them, or those of a filter, with a context', async () => {
    const index = await films('edited');
    const task = await index
      .updateDocumentsByFunction({
        function:
          'doc.title = doc.title.to_upper(); doc.price *= 2; if "tags" in doc { doc.tags.push(context.tag) }',
        filter: 'genre = drama',
        context: { tag: 'new' },
      })
      .waitTask();
    expect(task).toMatchObject({
      type: 'documentEdition',
      status: 'succeeded',
      details: {
        editedDocuments: 2,
        deletedDocuments: 0,
        originalFilter: '"genre = drama"',
        context: { tag: 'new' },
      },
    });
    expect(await text('edited', 1)).toBe(
      '{"id":1,"title":"CAROL","genre":"drama","price":4.0,"tags":["a","new"]}',
    );
    expect(await text('edited', 2)).toBe(
      '{"id":2,"title":"Alien","genre":"horror","price":3,"tags":[]}',
    );
    expect(await text('edited', 3)).toBe(
      '{"id":3,"title":"OSCAR","genre":"drama","price":10,"exact":1.10}',
    );
    const { hits } = await index.search('', { filter: 'genre = drama' });
    expect(hits.map(({ id }) => id)).toEqual([1, 3]);
    expect((await index.search('oscar')).hits).toHaveLength(1);
  });

  test('that fails leaves all documents as they were', async () => {
    const index = await films('failed');
    const before = await index.getDocuments();
    const task = await index
      .updateDocumentsByFunction({ function: 'doc.touched = true; doc.price = doc.title * 2' })
      .waitTask();
    expect(task).toMatchObject({
      status: 'failed',
      error: { code: 'edit_documents_by_function_error' },
      details: { editedDocuments: 0, deletedDocuments: null },
    });
    expect(task.error?.message).toMatch(/Document `1`: .*line 1, position 43/);
    expect(await index.getDocuments()).toEqual(before);
  });

  test('a missing index and a field that is not filterable fail the task', async () => {
    const missing = server.client.index('nowhere').updateDocumentsByFunction({ function: '' });
    expect(await missing.waitTask()).toMatchObject({
      status: 'failed',
      error: { code: 'index_not_found' },
    });
    const index = await films('unfilterable');
    const task = await index
      .updateDocumentsByFunction({ function: '', filter: 'title = Carol' })
      .waitTask();
    expect(task).toMatchObject({ status: 'failed', error: { code: 'invalid_document_filter' } });
  });

  test('a filter looks at the documents as they are when the task has its turn', async () => {
    const index = await films('ordered');
    await index.updateDocuments([{ id: 2, genre: 'drama' }]);
    const task = await index
      .updateDocumentsByFunction({ function: 'doc.hit = true', filter: 'genre = drama' })
      .waitTask();
    expect(task).toMatchObject({ status: 'succeeded', details: { editedDocuments: 3 } });
  });

  test('functions that do not compile, and a feature that is off, are refused at once', async () => {
    const index = server.client.index('edited');
    expect(await codeOf(index.updateDocumentsByFunction({ function: 'doc.a = ' }))).toBe(
      'bad_request',
    );
    await server.client.updateExperimentalFeatures({ editDocumentsByFunction: false });
    expect(await codeOf(index.updateDocumentsByFunction({ function: 'doc.a = 1' }))).toBe(
      'feature_not_enabled',
    );
    await server.client.updateExperimentalFeatures({ editDocumentsByFunction: true });
  });
});
