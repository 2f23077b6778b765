/** Vectors of documents when they are written, replaced, merged, declared. */
import { describe, expect, it } from 'vitest';
import { readDocument } from '../../../src/search/read-documents.ts';
import { shownVectors, snapshotOf, TestIndex } from './support.ts';

const embedders = { e: { source: 'userProvided', dimensions: 2 } } as const;

const given = (...embeddings: number[][]) => ({ embeddings, regenerate: false });
const storedText = (index: TestIndex): string =>
  index
    .documents()
    .map(({ json }) => json)
    .join();

describe('vectors of documents', () => {
  it('are kept in a file of their own and not with the document', async () => {
    const index = new TestIndex({ settings: { embedders } });
    await index.apply(index.upsert([{ id: 1, _vectors: { e: [0.5, 1] } }]));
    expect(shownVectors(index, '1')).toEqual(given([0.5, 1]));
    expect(storedText(index)).toBe('{"id":1}');
  });

  it('outlive a replacement and an update that say nothing of them', async () => {
    const index = new TestIndex({ settings: { embedders } });
    await index.apply(
      index.upsert([
        {
          id: 1,
          t: 'a',
          _vectors: {
            e: [
              [1, 2],
              [3, 4],
            ],
          },
        },
      ]),
    );
    await index.apply(index.upsert([{ id: 1, t: 'b' }]));
    await index.apply(index.upsert([{ id: 1, u: 'c' }], { method: 'update' }));
    expect(shownVectors(index, '1')).toEqual(given([1, 2], [3, 4]));
    expect(storedText(index)).toBe('{"id":1,"t":"b","u":"c"}');
  });

  it('stay of embedders that an update does not name, whether the index has them or not', async () => {
    const index = new TestIndex({ settings: { embedders } });
    await index.apply(index.upsert([{ id: 1, _vectors: { e: [1, 2], old: [1], other: [2] } }]));
    await index.apply(index.upsert([{ id: 1, _vectors: { old: [3] } }], { method: 'update' }));
    await index.apply(index.upsert([{ id: 1, _vectors: {} }], { method: 'update' }));
    expect(shownVectors(index, '1')).toEqual(given([1, 2]));
    expect(storedText(index)).toBe('{"id":1,"_vectors":{"old":[3],"other":[2]}}');
    await index.apply(index.upsert([{ id: 1, _vectors: {} }]));
    expect(storedText(index)).toBe('{"id":1,"_vectors":{}}');
  });

  it('are not opened for documents that bring theirs, once for those that keep them', async () => {
    const index = new TestIndex({ settings: { embedders } });
    await index.apply(index.upsert([1, 2, 3].map((id) => ({ id, _vectors: { e: [id, 2] } }))));
    const opened: string[] = [];
    const open = index.directory.open.bind(index.directory);
    index.directory.open = (name) => {
      if (name.endsWith('.vec')) opened.push(name);
      return open(name);
    };
    await index.apply(index.upsert([1, 4].map((id) => ({ id, _vectors: { e: [3, id] } }))));
    expect(opened).toEqual([]);
    await index.apply(index.upsert([2, 3].map((id) => ({ id, t: 'a' }))));
    expect(opened).toHaveLength(1);
    expect(shownVectors(index, '1')).toEqual(given([3, 1]));
    expect(shownVectors(index, '3')).toEqual(given([3, 2]));
  });

  it('are replaced by new ones, and removed where a document opts out', async () => {
    const index = new TestIndex({ settings: { embedders } });
    await index.apply(index.upsert([{ id: 1, _vectors: { e: [1, 2] } }]));
    await index.apply(index.upsert([{ id: 1, _vectors: { e: [3, 4] } }]));
    expect(shownVectors(index, '1')).toEqual(given([3, 4]));
    await index.apply(index.upsert([{ id: 1, _vectors: { e: null } }]));
    await index.apply(index.upsert([{ id: 1, t: 'still none' }]));
    expect(shownVectors(index, '1')).toEqual(given());
  });

  it('are read of embedders whatever the fields, and of other names with the field `_vectors`', async () => {
    const index = new TestIndex({ settings: { embedders } });
    await index.apply(index.upsert([{ id: 1, _vectors: { e: null, other: [1], none: null } }]));
    const read = (fields: readonly string[] | null, retrieveVectors = true): unknown => {
      const json = readDocument(snapshotOf(index), '1', { fields, retrieveVectors });
      return JSON.parse(new TextDecoder().decode(json));
    };
    const all = { other: [1], none: [], e: given() };
    expect(read(null)).toEqual({ id: 1, _vectors: all });
    expect(read(['_vectors', '_vectors.e'])).toEqual({ _vectors: all });
    for (const fields of [['id'], ['id', '_vectors.e'], ['id', '_vectors.other']])
      expect(read(fields)).toEqual({ id: 1, _vectors: { e: given() } });
    expect(read(['id', '_vectors.e'], false)).toEqual({ id: 1 });
    expect(read(null, false)).toEqual({ id: 1 });
    const flagged = { e: { embeddings: [[1, 2]], regenerate: true } };
    await index.apply(index.upsert([{ id: 1, t: 'x', _vectors: flagged }]));
    await index.apply(index.upsert([{ id: 1, t: 'x' }]));
    expect(read(['t'])).toEqual({ t: 'x', _vectors: flagged });
  });

  it('are demanded of a new document, which names itself and the embedder', async () => {
    const index = new TestIndex({ settings: { embedders } });
    await expect(index.apply(index.upsert([{ id: 7 }]))).rejects.toMatchObject({
      code: 'vector_embedding_error',
      message: expect.stringMatching(/`7`.*`_vectors\.e`/),
    });
  });

  it('that regenerate are kept for the same text and demanded for another', async () => {
    const index = new TestIndex({ settings: { embedders, searchableAttributes: ['t'] } });
    const flagged = { embeddings: [[1, 2]], regenerate: true };
    await index.apply(index.upsert([{ id: 1, t: 'a', _vectors: { e: flagged } }]));
    const update = { method: 'update' } as const;
    const sameText: Parameters<typeof index.upsert>[] = [
      [[{ id: 1 }], update],
      [[{ id: 1, u: 1 }], update],
      [[{ id: 1, _vectors: { e: { regenerate: true } } }], update],
      [[{ id: 1, t: 'a', u: 2 }]],
    ];
    for (const write of sameText) await index.apply(index.upsert(...write));
    expect(shownVectors(index, '1')).toEqual(flagged);
    for (const options of [update, {}])
      await expect(index.apply(index.upsert([{ id: 1, t: 'b' }], options))).rejects.toMatchObject({
        code: 'vector_embedding_error',
      });
    const keep = { e: { regenerate: false } };
    await index.apply(index.upsert([{ id: 1, t: 'b', _vectors: keep }]));
    expect(shownVectors(index, '1')).toEqual(flagged);
  });

  it('are found in stored documents when an embedder is declared', async () => {
    const index = new TestIndex();
    await index.apply(index.upsert([{ id: 1, _vectors: { e: [1, 2] } }]));
    await index.applySettings({ embedders });
    expect(shownVectors(index, '1')).toEqual(given([1, 2]));
  });

  it.each([
    ['alone', {}],
    ['with a change of words', { searchableAttributes: ['t'] }],
  ])('are demanded of stored documents when an embedder is declared %s', async (_, settings) => {
    const index = new TestIndex();
    await index.apply(index.upsert([{ id: 1, t: 'a' }]));
    await expect(index.applySettings({ embedders, ...settings })).rejects.toMatchObject({
      code: 'vector_embedding_error',
    });
  });

  it('stay when the tokenization changes', async () => {
    const index = new TestIndex({ settings: { embedders } });
    await index.apply(index.upsert([{ id: 1, t: 'a', _vectors: { e: [1, 2] } }]));
    await index.applySettings({ searchableAttributes: ['t'] });
    expect(shownVectors(index, '1')).toEqual(given([1, 2]));
  });
});

describe('several versions of a document in one batch', () => {
  type Version = Readonly<Record<string, unknown>> | null;
  const update = { method: 'update' } as const;
  const stored = { id: 1, t: 'stored', _vectors: { e: [9, 9] } };
  /** null is a deletion. */
  const written = async (versions: readonly Version[], inOne: boolean, before: Version[]) => {
    const index = new TestIndex({ settings: { embedders } });
    const operations = (list: readonly Version[]) =>
      list.map((version) =>
        version === null
          ? index.deleteIds('1')
          : index.upsert([{ id: 1, ...version }], 'u' in version ? update : {}),
      );
    await index.apply(...operations(before));
    if (inOne) await index.apply(...operations(versions));
    else for (const operation of operations(versions)) await index.apply(operation);
    const { _vectors: _, ...fields } = JSON.parse(storedText(index));
    return { vectors: shownVectors(index, '1'), fields };
  };

  it.each<[string, Version[], Version[]]>([
    ['a replacement that says nothing', [{ _vectors: { e: [1, 2] } }, { t: 'b' }], []],
    ['an update that says nothing', [{ _vectors: { e: [1, 2] } }, { u: 'b' }], []],
    ['an update of another entry', [{ _vectors: { e: [1, 2] } }, { u: 'b', _vectors: {} }], []],
    [
      'one that keeps what there is',
      [{ _vectors: { e: [1, 2] } }, { _vectors: { e: { regenerate: false } } }],
      [],
    ],
    ['an opting out', [{ _vectors: { e: null } }, { t: 'b' }, { u: 'c' }], [stored]],
    ['other vectors', [{ _vectors: { e: [1, 2] } }, { _vectors: { e: [3, 4] } }, { t: 'b' }], []],
    ['vectors after others', [{ _vectors: { e: [1, 2] } }, { t: 'b' }], [stored]],
    ['a deletion', [null, { _vectors: { e: null } }, { t: 'b' }], [stored]],
    ['what is stored', [{ t: 'b' }, { u: 'c' }], [stored]],
  ])('have the vectors that they would have each in its own: %s', async (_, versions, before) => {
    const apart = await written(versions, false, before);
    expect(await written(versions, true, before)).toEqual(apart);
  });

  it('have none of a copy that was deleted before', async () => {
    const again = written([null, { t: 'b' }], true, [stored]);
    await expect(again).rejects.toMatchObject({ code: 'vector_embedding_error' });
  });

  it('need no vectors where the index has no embedder', async () => {
    const index = new TestIndex();
    await index.apply(
      index.upsert([
        { id: 1, t: 'a', _vectors: { e: [1] } },
        { id: 1, t: 'b' },
      ]),
    );
    expect(storedText(index)).toBe('{"id":1,"t":"b"}');
  });
});

it('entries of a wrong type fail the task also where the index has no embedder', async () => {
  const index = new TestIndex();
  const code = async (_vectors: unknown) =>
    (await index.apply(index.upsert([{ id: 1, _vectors }]))).results[0]?.error?.code;
  for (const wrong of [3, [], { e: 3 }, { e: { embeddings: [1] } }])
    expect(await code(wrong)).toBe('invalid_vectors_type');
  expect(await code({ e: ['plain data'], f: null })).toBeUndefined();
});

it('entries of a wrong type are kept in stored documents while no embedder reads them', async () => {
  const index = new TestIndex();
  const document = { id: 1, _vectors: 'as an old release took it', size: 3 };
  const { results } = await index.apply(index.upsert([document], { wereStored: true }));
  expect(results[0]?.error).toBeNull();
  await index.applySettings({ filterableAttributes: ['size'] });
  expect(storedText(index)).toBe(JSON.stringify(document));
  await expect(index.applySettings({ embedders })).rejects.toThrow(
    'Document `1`: `_vectors` is `"as an old release took it"`, expected an object',
  );
});
