/** Documents that the server embeds: requests to the provider, and the resulting vectors. */
import { afterEach, describe, expect, it } from 'vitest';
import { documentEmbedders } from '../../../src/embedding/cache/cached-embedder.ts';
import { EmbeddingStore } from '../../../src/embedding/cache/embedding-store.ts';
import { openEmbedder } from '../../../src/embedding/open-embedder.ts';
import type { EmbeddingFailureRules } from '../../../src/indexing/embedding-step.ts';
import { BatchProgress } from '../../../src/model/batch-progress.ts';
import type { EmbedderSettings } from '../../../src/model/embedders/embedder-settings.ts';
import { fileNamesOf } from '../../../src/model/index-manifest.ts';
import { indexFigures } from '../../../src/search/snapshot/index-stats.ts';
import { madeEnvironment, restSettings } from '../../support/made-embedder.ts';
import {
  type MadeProvider,
  type MadeScript,
  madeVector,
  makeProvider,
} from '../../support/made-provider.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { searchIds } from '../../support/search.ts';
import { shownVectors, snapshotOf, TestIndex } from './support.ts';

const providers: MadeProvider[] = [];
afterEach(() => {
  for (const provider of providers.splice(0)) provider.close();
});

const TEMPLATE = { documentTemplate: '{{doc.t}}', dimensions: 2 };

async function madeIndex(
  more: Partial<EmbedderSettings> = {},
  script?: MadeScript,
  options: {
    readonly isDeclared?: boolean;
    readonly vectorBytesMax?: number;
    readonly failures?: EmbeddingFailureRules;
  } = {},
) {
  const { isDeclared = true, ...limits } = options;
  const provider = await makeProvider(script);
  providers.push(provider);
  const store = await EmbeddingStore.open(new MemoryStore(), 'v/', 1e6);
  const environment = madeEnvironment(provider, undefined, { retryMsMax: 1000 });
  const e = restSettings(provider.url, { ...TEMPLATE, ...more });
  const embedderOf = documentEmbedders((settings) => openEmbedder(settings, environment), store);
  const embedders = isDeclared ? { e } : {};
  const index = new TestIndex({ settings: { embedders }, embedderOf, threads: 2, ...limits });
  /** Texts sent since the last call, sorted. */
  let seen = 0;
  const asked = (): string[] => {
    const texts = provider.requests.slice(seen).flat();
    seen = provider.requests.length;
    return [...texts].sort();
  };
  return { index, provider, e, asked };
}

const made = (...texts: string[]) => ({ embeddings: texts.map(madeVector), regenerate: true });
const given = (...embeddings: number[][]) => ({ embeddings, regenerate: false });
const storedText = (index: TestIndex): string =>
  index
    .documents()
    .map(({ json }) => json)
    .join();

describe('documents that cannot be embedded, where that is ignored', () => {
  const ignoring = (what: 'ignoresTemplates' | 'ignoresEmbedders') => {
    const told: string[] = [];
    const onIgnored = (message: string) => void told.push(message);
    const rules = { ignoresTemplates: false, ignoresEmbedders: false, onIgnored, [what]: true };
    return { told, failures: rules satisfies EmbeddingFailureRules };
  };
  const NONE = { embeddings: [], regenerate: true };

  it('are written without vectors where the template fails, and embedded once it does not', async () => {
    const { told, failures } = ignoring('ignoresTemplates');
    const { index, asked } = await madeIndex({}, undefined, { failures });
    await index.apply(index.upsert([{ id: 1, t: 'one' }, { id: 2 }]));
    expect(asked()).toEqual(['one']);
    expect([shownVectors(index, '1'), shownVectors(index, '2')]).toEqual([made('one'), NONE]);
    expect(told).toEqual([expect.stringContaining('Document `2`: a template of the embedder `e`')]);
    await index.apply(index.upsert([{ id: 2, t: 'two' }]));
    expect(shownVectors(index, '2')).toEqual(made('two'));
    await index.apply(index.upsert([{ id: 1 }]));
    expect(shownVectors(index, '1')).toEqual(NONE);
  });

  it.each([
    ['a text of its own', (texts: readonly string[]) => texts.includes('bad') && { status: 400 }],
    [
      'one vector',
      (texts: readonly string[]) =>
        texts.includes('bad') && {
          body: { data: texts.map((t) => ({ embedding: t === 'bad' ? [1] : madeVector(t) })) },
        },
    ],
  ])(
    'are written without vectors where the provider refuses %s, and tried again',
    async (_, refuse) => {
      const { told, failures } = ignoring('ignoresEmbedders');
      let isRefusing = true;
      const script: MadeScript = (texts) => (isRefusing && refuse(texts)) || undefined;
      const { index } = await madeIndex({}, script, { failures });
      const texts = ['a', 'b', 'bad', 'c', 'bad'];
      await index.apply(index.upsert(texts.map((t, id) => ({ id, t }))));
      const shown = () => texts.map((_, id) => shownVectors(index, `${id}`));
      const madeOf = (t: string) => (t === 'bad' && isRefusing ? NONE : made(t));
      expect(shown()).toEqual(texts.map(madeOf));
      expect(told).toEqual([
        expect.stringContaining('2 documents have no vectors of `e`, such as `2`'),
      ]);
      isRefusing = false;
      await index.apply(index.upsert(texts.map((t, id) => ({ id, t }))));
      expect(shown()).toEqual(texts.map(madeOf));
    },
  );

  it('are written without vectors where the provider fails, which is asked no more', async () => {
    const { told, failures } = ignoring('ignoresEmbedders');
    const { index, provider } = await madeIndex({}, () => ({ status: 401 }), { failures });
    await index.apply(index.upsert(Array.from({ length: 2000 }, (_, id) => ({ id, t: `${id}` }))));
    expect(shownVectors(index, '1999')).toEqual(NONE);
    expect(told).toEqual([expect.stringMatching(/^2000 documents have no vectors/)]);
    expect(provider.requests.length).toBeLessThanOrEqual(16);
  });
});

describe('documents that are written', () => {
  it('are embedded by their template, in one request for many', async () => {
    const { index, asked, provider } = await madeIndex();
    await index.apply(
      index.upsert([
        { id: 1, t: 'one' },
        { id: 2, t: 'two' },
      ]),
    );
    expect(asked()).toEqual(['one', 'two']);
    expect(provider.requests).toHaveLength(1);
    expect(shownVectors(index, '1')).toEqual(made('one'));
    expect(storedText(index)).toBe('{"id":1,"t":"one"},{"id":2,"t":"two"}');
  });

  it('are embedded again when their text changes, and only then', async () => {
    const { index, asked } = await madeIndex();
    await index.apply(index.upsert([{ id: 1, t: 'one' }]));
    asked();
    await index.apply(index.upsert([{ id: 1, t: 'one', u: 'more' }]));
    await index.apply(index.upsert([{ id: 1, u: 'less' }], { method: 'update' }));
    expect(asked()).toEqual([]);
    expect(shownVectors(index, '1')).toEqual(made('one'));
    await index.apply(index.upsert([{ id: 1, t: 'other' }], { method: 'update' }));
    expect(asked()).toEqual(['other']);
    expect(shownVectors(index, '1')).toEqual(made('other'));
  });

  it('are embedded where a function edits them', async () => {
    const { index, asked } = await madeIndex();
    await index.apply(
      index.upsert([
        { id: 1, t: 'one' },
        { id: 2, t: 'two' },
      ]),
    );
    asked();
    const edit = { function: 'if doc.id == 1 { doc.t = "new" }', filter: null, context: null };
    const change = await index.writer.editDocuments(edit);
    index.commit({ segments: change.segments });
    expect(asked()).toEqual(['new']);
    expect([shownVectors(index, '1'), shownVectors(index, '2')]).toEqual([
      made('new'),
      made('two'),
    ]);
  });

  it('keep vectors that they bring, and are left without where they want none', async () => {
    const { index, asked } = await madeIndex();
    const own = { id: 1, t: 'one', _vectors: { e: [5, 6] } };
    await index.apply(index.upsert([own, { id: 2, t: 'two', _vectors: { e: null } }]));
    await index.apply(
      index.upsert([
        { id: 1, t: 'changed' },
        { id: 2, t: 'changed' },
      ]),
    );
    expect(asked()).toEqual([]);
    expect([shownVectors(index, '1'), shownVectors(index, '2')]).toEqual([given([5, 6]), given()]);
    const open = { e: { embeddings: null, regenerate: false } };
    await index.apply(index.upsert([{ id: 1, t: 'again', _vectors: open }]));
    expect(shownVectors(index, '1')).toEqual(given([5, 6]));
  });

  it('keep vectors that they bring for the time being until they change', async () => {
    const { index, asked } = await madeIndex();
    const e = { embeddings: [5, 6], regenerate: true };
    await index.apply(index.upsert([{ id: 1, t: 'one', _vectors: { e } }]));
    await index.apply(index.upsert([{ id: 1, t: 'one', u: 1 }]));
    expect(asked()).toEqual([]);
    expect(shownVectors(index, '1')).toEqual({ embeddings: [[5, 6]], regenerate: true });
    await index.apply(index.upsert([{ id: 1, t: 'two' }]));
    expect(shownVectors(index, '1')).toEqual(made('two'));
  });

  it('give up their own vectors where they ask for new ones', async () => {
    const { index } = await madeIndex();
    await index.apply(index.upsert([{ id: 1, t: 'one', _vectors: { e: [5, 6] } }]));
    const e = { regenerate: true };
    await index.apply(index.upsert([{ id: 1, t: 'one', _vectors: { e } }]));
    expect(shownVectors(index, '1')).toEqual(made('one'));
    expect(storedText(index)).toBe('{"id":1,"t":"one"}');
  });

  it('have their vectors after merges', async () => {
    const { index, asked } = await madeIndex();
    for (const id of [1, 2, 3]) await index.apply(index.upsert([{ id, t: `text ${id}` }]));
    await index.apply(index.deleteIds('2'));
    asked();
    await index.mergeAll();
    expect(asked()).toEqual([]);
    expect(shownVectors(index, '3')).toEqual(made('text 3'));
  });

  it('are embedded part by part where all vectors together would take too much memory', async () => {
    const { index, provider } = await madeIndex({}, undefined, { vectorBytesMax: 16 });
    const documents = Array.from({ length: 7 }, (_, id) => ({ id, t: `text ${id}` }));
    const progress = new BatchProgress();
    const change = await index.writer.applyDocuments([index.upsert(documents)], progress);
    index.commit({ primaryKey: change.primaryKey, segments: change.segments });
    expect(provider.requests.map(({ length }) => length).sort()).toEqual([1, 2, 2, 2]);
    for (const { id, t } of documents) expect(shownVectors(index, String(id))).toEqual(made(t));
    expect(progress.read().embedderRequests).toEqual({ total: 4, failed: 0 });
  });

  it('have one vector for each fragment that applies', async () => {
    const fragments = { a: { value: '{{doc.a}}' }, b: { value: '{{doc.b}}' } };
    const { index, asked } = await madeIndex({
      indexingFragments: fragments,
      request: { input: ['{{fragment}}', '{{..}}'] },
    });
    await index.apply(index.upsert([{ id: 1, a: 'x', b: 'y' }, { id: 2, b: 'z' }, { id: 3 }]));
    expect(asked()).toEqual(['x', 'y', 'z']);
    expect(shownVectors(index, '1')).toEqual(made('x', 'y'));
    expect(shownVectors(index, '2')).toEqual(made('z'));
    expect(shownVectors(index, '3')).toEqual(made());
  });

  it('are found by the fragments that their vectors were made of, whatever happens', async () => {
    const fragment = (field: string) => ({ value: `{{doc.${field}}}` });
    const { index, e, asked } = await madeIndex({
      indexingFragments: { a: fragment('a'), b: fragment('b') },
      request: { input: ['{{fragment}}', '{{..}}'] },
    });
    const having = (name: string) =>
      searchIds(snapshotOf(index), {
        filter: `_vectors.e.fragments.${name} EXISTS`,
        multimodal: true,
      });
    const given = { id: 4, a: 'v', _vectors: { e: [1, 2] } };
    await index.apply(
      index.upsert([{ id: 1, a: 'x', b: 'y' }, { id: 2, b: 'z' }, { id: 3 }, given]),
    );
    expect([having('a'), having('b')]).toEqual([[1], [1, 2]]);
    await index.apply(
      index.upsert([
        { id: 2, a: 'w', b: 'z' },
        { id: 1, a: 'x', b: 'y', c: 1 },
      ]),
    );
    await index.mergeAll();
    expect([having('a').sort(), having('b').sort()]).toEqual([
      [1, 2],
      [1, 2],
    ]);
    asked();
    const renamed = { ...e, indexingFragments: { a: fragment('a'), c: fragment('b') } };
    await index.applySettings({ embedders: { e: renamed } });
    expect(asked()).toEqual([]);
    expect(having('c').sort()).toEqual([1, 2]);
    expect(shownVectors(index, '2')).toEqual(made('w', 'z'));
  });

  it('bring vectors of the fragments that apply, when the counts match and they may be regenerated', async () => {
    const fragment = (field: string) => ({ value: `{{doc.${field}}}` });
    const { index, asked } = await madeIndex({
      indexingFragments: { a: fragment('a'), b: fragment('b') },
      request: { input: ['{{fragment}}', '{{..}}'] },
    });
    const bringing = (regenerate: boolean, ...embeddings: number[][]) => ({
      _vectors: { e: { embeddings, regenerate } },
    });
    await index.apply(
      index.upsert([
        { id: 1, a: 'x', b: 'y', ...bringing(true, [1, 2], [3, 4]) },
        { id: 2, b: 'z', ...bringing(true, [1, 2]) },
        { id: 3, a: 'x', b: 'y', ...bringing(true, [1, 2]) },
        { id: 4, a: 'x', b: 'y', ...bringing(false, [1, 2], [3, 4]) },
      ]),
    );
    expect(asked()).toEqual([]);
    const having = (name: string) => {
      const filter = `_vectors.e.fragments.${name} EXISTS`;
      return searchIds(snapshotOf(index), { filter, multimodal: true }).sort();
    };
    expect([having('a'), having('b')]).toEqual([[1], [1, 2]]);
    await index.mergeAll();
    expect([having('a'), having('b')]).toEqual([[1], [1, 2]]);
  });
});

describe('a provider that fails', () => {
  /** Of the task, or of its batch where a document is to blame. */
  const failure = async (script: MadeScript) => {
    const { index } = await madeIndex({}, script);
    return index.apply(index.upsert([{ id: 7, t: 'one' }])).then(
      ({ results }) => results[0]?.error,
      (error: unknown) => error as { code: string; message: string },
    );
  };

  it.each<[string, MadeScript, RegExp]>([
    ['refuses the key', () => ({ status: 401, body: 'who?' }), /`e`.*401.*who\?/],
    ['gives no reason', () => ({ status: 404, body: '' }), /`e`.*404 and says nothing more$/],
    [
      'takes no such text',
      ([text]) => (text === 'one' ? { status: 400, body: 'no' } : undefined),
      /Document `7`.*`e`.*400/,
    ],
    [
      'takes no text at all',
      () => ({ status: 400, body: 'no' }),
      /^the embedder `e`.*400: no; it refuses the text `test` as well$/,
    ],
    ['gives no JSON', () => ({ body: '{"data": [' }), /`e`.*no JSON/],
    ['gives too few vectors', () => ({ body: { data: [] } }), /`e`.*0 vectors for 1/],
    [
      'gives other dimensions',
      () => ({ body: { data: [{ embedding: [1, 2, 3] }] } }),
      /Document `7`.*`e`.*3 dimensions, expected 2/,
    ],
  ])('fails the task when it %s', async (_, script, message) => {
    const error = await failure(script);
    expect(error).toMatchObject({
      code: 'vector_embedding_error',
      message: expect.stringMatching(message),
    });
  });

  it('leaves nothing of documents that need it, part by part, and asks little more', async () => {
    const { index, provider } = await madeIndex(
      {},
      ([text]) => (text?.startsWith('bad') ? { status: 401 } : undefined),
      { vectorBytesMax: 16 },
    );
    const texts = ['a', 'b', 'bad', 'bad 2', 'bad 3', 'bad 4', 'c', 'd', 'bad 5'];
    const { results } = await index.apply(
      ...texts.map((t, id) => index.upsert([{ id, t }])),
      index.upsert([{ id: 0, u: 1 }], { method: 'update' }),
    );
    expect(results.map(({ error }) => error === null)).toEqual([
      ...texts.map((t) => !t.startsWith('bad')),
      true,
    ]);
    expect(index.documents().map(({ json }) => (JSON.parse(json) as { t: string }).t)).toEqual([
      ...['a', 'b', 'c', 'd'],
    ]);
    expect(index.directory.list().sort()).toEqual(fileNamesOf(index.manifest.segments).sort());
    expect(new Set(provider.paid.values())).toEqual(new Set([1]));
    expect(provider.requests.length).toBeLessThanOrEqual(8);
  });

  it('is waited for when it is too busy or fails for a while', async () => {
    const { index, provider } = await madeIndex({}, (_, at) => {
      if (at === 0) return { status: 429, headers: { 'retry-after': '1' } };
      return at === 1 ? { status: 500 } : undefined;
    });
    const progress = new BatchProgress();
    const change = await index.writer.applyDocuments([index.upsert([{ id: 1, t: 'a' }])], progress);
    index.commit({ primaryKey: change.primaryKey, segments: change.segments });
    expect(shownVectors(index, '1')).toEqual(made('a'));
    expect([...provider.paid.values()]).toEqual([1]);
    expect(progress.read().embedderRequests).toMatchObject({ total: 3, failed: 2 });
  });

  it('does not keep a batch from being canceled', async () => {
    const { index, provider } = await madeIndex({}, () => ({ hangs: true }));
    const progress = new BatchProgress();
    const written = index.writer.applyDocuments([index.upsert([{ id: 1, t: 'a' }])], progress);
    await expect.poll(() => provider.requests.length).toBe(1);
    progress.cancel();
    await expect(written).rejects.toThrow('canceled');
  });

  it('gets no request when the template fails, which names the document', async () => {
    const { index, asked } = await madeIndex();
    await expect(index.apply(index.upsert([{ id: 7 }]))).rejects.toMatchObject({
      code: 'invalid_document_fields',
      message: expect.stringMatching(/Document `7`.*`e`/),
    });
    expect(asked()).toEqual([]);
  });
});

describe('a change of embedders', () => {
  const films = Array.from({ length: 5 }, (_, id) => ({ id, t: `t${id}`, u: id < 2 ? 'u' : '' }));

  it('is refused when its request is for fragments and it has none', async () => {
    const { index, e } = await madeIndex({ request: { input: '{{fragment}}' } }, undefined, {
      isDeclared: false,
    });
    const declared = { ...index.manifest.settings, embedders: { e } };
    await expect(index.writer.completedSettings(declared)).rejects.toMatchObject({
      code: 'vector_embedding_error',
      message: expect.stringContaining('`request` lacks the placeholder `"{{text}}"`'),
    });
    index.commit({ settings: declared });
    await expect(index.writer.completedSettings(declared)).resolves.toEqual(declared);
  });

  it('embeds what is stored when one is declared, after asking for its dimensions', async () => {
    const { index, asked, provider } = await madeIndex({}, undefined, {
      isDeclared: false,
      vectorBytesMax: 16,
    });
    await index.apply(index.upsert(films.slice(0, 4)));
    await index.apply(index.upsert([films[4], { id: 9, t: 'own', _vectors: { e: [7, 8] } }]));
    await index.apply(index.deleteIds('3'));
    const e = restSettings(provider.url, { documentTemplate: '{{doc.t}}' });
    await index.applySettings({ embedders: { e } });
    expect(index.manifest.settings.embedders['e']?.dimensions).toBe(2);
    const named = fileNamesOf(index.manifest.segments).filter((name) => name.endsWith('.vec'));
    expect(index.directory.list().filter((name) => name.endsWith('.vec'))).toEqual(
      expect.arrayContaining(named),
    );
    expect(index.directory.list().filter((name) => name.endsWith('.vec'))).toHaveLength(2);
    expect(asked()).toEqual(['t0', 't1', 't2', 't4', 'test']);
    expect(shownVectors(index, '4')).toEqual(made('t4'));
    expect(shownVectors(index, '9')).toEqual(given([7, 8]));
    await index.apply(index.upsert([{ id: 5, t: 't5' }]));
    expect(shownVectors(index, '5')).toEqual(made('t5'));
    await index.mergeAll();
    expect(shownVectors(index, '2')).toEqual(made('t2'));
  });

  it('of the template renders all and embeds the texts that differ', async () => {
    const { index, asked, e } = await madeIndex();
    await index.apply(index.upsert(films));
    asked();
    const documentTemplate = '{{doc.t}}{{doc.u}}';
    await index.applySettings({ embedders: { e: { ...e, documentTemplate } } });
    expect(asked()).toEqual(['t0u', 't1u']);
    expect([shownVectors(index, '0'), shownVectors(index, '4')]).toEqual([made('t0u'), made('t4')]);
    await index.applySettings({ embedders: { e } });
    expect(asked()).toEqual([]);
    expect(shownVectors(index, '0')).toEqual(made('t0'));
  });

  it('of vector storage sends no request, also together with a change of tokenization', async () => {
    const { index, asked, e } = await madeIndex();
    await index.apply(index.upsert(films));
    asked();
    const quantized = { e: { ...e, binaryQuantized: true } };
    await index.applySettings({ embedders: quantized, searchableAttributes: ['t', 'u'] });
    expect(asked()).toEqual([]);
    expect(shownVectors(index, '4')).toEqual({ embeddings: [[1, 1]], regenerate: true });
  });

  it('of the model embeds all but what came with documents', async () => {
    const { index, asked, e } = await madeIndex();
    await index.apply(index.upsert([...films, { id: 9, t: 'x', _vectors: { e: [7, 8] } }]));
    asked();
    const url = `${e.url}?model=2`;
    await index.applySettings({ embedders: { e: { ...e, url } } });
    expect(asked()).toEqual(films.map(({ t }) => t));
    expect(shownVectors(index, '9')).toEqual(given([7, 8]));
  });

  it('fails as a whole where the provider does', async () => {
    const { index, provider } = await madeIndex({}, () => ({ status: 401 }), { isDeclared: false });
    await index.apply(index.upsert(films));
    const embedders = { e: restSettings(provider.url, TEMPLATE) };
    await expect(index.applySettings({ embedders })).rejects.toMatchObject({
      code: 'vector_embedding_error',
    });
    expect(index.manifest.settings.embedders).toEqual({});
  });
});

describe('vectors that came with documents', () => {
  const own = { id: 1, t: 'x', _vectors: { e: [7, 8], other: [1] } };
  const userProvided: EmbedderSettings = { source: 'userProvided', dimensions: 2 };

  it('go back into them when their embedder is removed', async () => {
    const index = new TestIndex({ settings: { embedders: { e: userProvided } } });
    await index.apply(index.upsert([own, { id: 2, _vectors: { e: null } }]));
    await index.applySettings({ embedders: {} });
    expect(storedText(index)).toBe(
      '{"id":1,"t":"x","_vectors":{"other":[1],"e":[[7,8]]}},{"id":2,"_vectors":{"e":null}}',
    );
    await index.applySettings({ embedders: { e: userProvided } });
    expect(shownVectors(index, '1')).toEqual(given([7, 8]));
  });

  it('stay when their embedder makes vectors itself from now on', async () => {
    const { index, asked, e } = await madeIndex({}, undefined, { isDeclared: false });
    await index.applySettings({ embedders: { e: userProvided } });
    await index.apply(index.upsert([own, { id: 2, t: 'two', _vectors: { e: [1, 2] } }]));
    await index.apply(index.deleteIds('2'));
    await index.applySettings({ embedders: { e } });
    await index.apply(
      index.upsert([
        { id: 1, t: 'changed' },
        { id: 3, t: 'three' },
      ]),
    );
    expect(asked()).toEqual(['three']);
    expect(shownVectors(index, '1')).toEqual(given([7, 8]));
  });

  it('are binary quantized without being sent again', async () => {
    const index = new TestIndex({ settings: { embedders: { e: userProvided } } });
    await index.apply(index.upsert([{ id: 1, _vectors: { e: [-1, 2] } }]));
    await index.applySettings({ embedders: { e: { ...userProvided, binaryQuantized: true } } });
    expect(shownVectors(index, '1')).toEqual(given([0, 1]));
  });
});

describe('statistics', () => {
  it('count vectors and documents that have some, the living ones alone', async () => {
    const { index, e } = await madeIndex();
    const f: EmbedderSettings = { source: 'userProvided', dimensions: 1 };
    await index.applySettings({ embedders: { e, f } });
    const figures = () => {
      const { numberOfEmbeddings, numberOfEmbeddedDocuments } = indexFigures(snapshotOf(index));
      return [numberOfEmbeddings, numberOfEmbeddedDocuments];
    };
    expect(figures()).toEqual([0, 0]);
    const none = { e: null, f: null };
    await index.apply(index.upsert([{ id: 0, t: 'a', _vectors: { f: [[1], [2]] } }]));
    await index.apply(index.upsert([{ id: 1, t: 'b', _vectors: { f: null } }]));
    await index.apply(
      index.upsert([
        { id: 2, t: 'c', _vectors: none },
        { id: 3, _vectors: none },
      ]),
    );
    expect(figures()).toEqual([4, 2]);
    await index.mergeAll();
    expect(figures()).toEqual([4, 2]);
    await index.apply(index.upsert([{ id: 1, t: 'b', _vectors: { f: [1] } }]));
    expect(figures()).toEqual([5, 2]);
    await index.apply(index.deleteIds('0'));
    expect(figures()).toEqual([2, 1]);
  });
});
