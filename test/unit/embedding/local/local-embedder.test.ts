/** Local models: a tiny one against a plain calculation; its files and their download. */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { localEmbedder } from '../../../../src/embedding/local/local-embedder.ts';
import { LocalModels } from '../../../../src/embedding/local/local-models.ts';
import type { ModelHub } from '../../../../src/embedding/local/model-download.ts';
import { AddressPolicy } from '../../../../src/http-client/address-policy.ts';
import { OutgoingHttp } from '../../../../src/http-client/outgoing-http.ts';
import type { EmbedderSettings } from '../../../../src/model/embedders/embedder-settings.ts';
import { StoredModel } from '../../../../src/storage/model-store.ts';
import { vectorsOf } from '../../../support/embedded-vectors.ts';
import { madeModelFiles, madeModelVector, writeModel } from '../../../support/made-model.ts';

const root = mkdtempSync(join(tmpdir(), 'gannet-models-'));
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const signal = new AbortController().signal;
const TEXTS = ['the sea', 'ship', 'the storm the sea the ship', '', 'unheard words'];

let folders = 0;
/** An embedder over a folder of its own; `of` makes further ones of the same models. */
function embedder(settings: Partial<EmbedderSettings> = {}, hub: ModelHub | null = null) {
  const folder = join(root, `${folders++}`);
  const loaded: string[] = [];
  const models = new LocalModels({
    openFolder: (model, revision) => new StoredModel(folder, model, revision),
    hub,
    onLoaded: (model, { library, device }) => void loaded.push(`${model} ${library} ${device}`),
  });
  const of = (own: Partial<EmbedderSettings>) =>
    localEmbedder({ source: 'huggingFace', model: 'made/model', ...own }, models);
  return { embedder: of(settings), of, folder, loaded };
}

const expectNear = (vectors: readonly Float32Array[], expected: readonly number[][]) => {
  expect(vectors).toHaveLength(expected.length);
  for (const [n, vector] of vectors.entries())
    for (const [at, value] of vector.entries())
      expect(value).toBeCloseTo(expected[n]?.[at] ?? 9, 5);
};

describe('a local model', () => {
  it.each([
    ['useModel', 'cls'],
    ['forceCls', 'cls'],
    ['forceMean', 'mean'],
  ] as const)('with the pooling %s gives vectors of length 1 by %s', async (pooling, means) => {
    const made = embedder({ pooling });
    writeModel(join(made.folder, 'made/model'));
    const vectors = await vectorsOf(made.embedder, TEXTS, { signal });
    expectNear(
      vectors,
      TEXTS.map((text) => madeModelVector(text, means)),
    );
    expect(await made.embedder.dimensions(signal)).toBe(3);
    const query = await made.embedder.embedQuery({ q: 'ship', media: null }, signal);
    expectNear([query], [madeModelVector('ship', means)]);
    expect(made.loaded).toEqual([expect.stringMatching(/^made\/model onnxruntime-\w+ cpu$/)]);
  });

  it('truncates a text to its length limit, and reports vectors as they arrive', async () => {
    const made = embedder({ pooling: 'forceMean', revision: 'v2' });
    writeModel(join(made.folder, 'made/model@v2'), madeModelFiles(5));
    const texts = Array.from({ length: 100 }, (_, n) =>
      Array(1 + (n % 9))
        .fill('storm')
        .join(' '),
    );
    const told: number[] = [];
    const vectors = await vectorsOf(made.embedder, texts, {
      signal,
      onEmbedded: ({ at }) => void told.push(...at),
    });
    expectNear(
      vectors,
      texts.map((text) => madeModelVector(text, 'mean', 5)),
    );
    expect(told.sort((a, b) => a - b)).toEqual([...texts.keys()]);
  });

  it('is not given back while texts go through it, however many others are asked for', async () => {
    const made = embedder();
    const models = ['a', 'b', 'c', 'd'].map((name) => `made/${name}`);
    for (const model of models) writeModel(join(made.folder, model));
    const embedders = models.map((model) => made.of({ model }));
    const texts = Array.from({ length: 200 }, () => 'the storm the sea');
    const embedded = await Promise.all(embedders.map((each) => vectorsOf(each, texts, { signal })));
    for (const vectors of embedded)
      expectNear(
        vectors,
        texts.map((text) => madeModelVector(text, 'cls')),
      );
  });

  it('that is not there is named, without the path of its folder', async () => {
    const { embedder: missing, folder } = embedder();
    await expect(missing.dimensions(signal)).rejects.toThrow(/^the folder `made\/model`/);
    await expect(missing.dimensions(signal)).rejects.not.toThrow(folder);
    await expect(missing.dimensions(signal)).rejects.toThrow('--allow-model-downloads');
  });

  it('that is broken is refused by name', async () => {
    const made = embedder();
    const files = { ...madeModelFiles(), 'onnx/model.onnx': Buffer.from('no model') };
    writeModel(join(made.folder, 'made/model'), files);
    await expect(made.embedder.dimensions(signal)).rejects.toThrow(/onnxruntime.*model\.onnx/);
  });
});

/** A hub with the synthetic model; `spoil` changes its responses. */
async function hub(spoil: (path: string, content: Buffer) => Buffer = (_, content) => content) {
  const files = Object.entries(madeModelFiles());
  const asked: string[] = [];
  const sha = (algorithm: string, ...parts: readonly (Buffer | string)[]) => {
    const digest = createHash(algorithm);
    for (const part of parts) digest.update(part);
    return digest.digest('hex');
  };
  const list = files.map(([path, content]) => ({
    type: 'file',
    path,
    size: content.length,
    oid: sha('sha1', `blob ${content.length}\0`, content),
    ...(path.endsWith('.onnx') && { lfs: { oid: sha('sha256', content) } }),
  }));
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    const path = url.split('/resolve/main/')[1];
    const found = files.find(([name]) => name === path);
    if (url === '/api/models/made/model/tree/main?recursive=true')
      return void response.end(JSON.stringify(list));
    if (found === undefined) return void response.writeHead(404).end();
    if (!url.startsWith('/cdn'))
      return void response.writeHead(302, { location: `/cdn${url}` }).end();
    response.end(spoil(found[0], found[1]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const outgoing = (networks: string[]) => new OutgoingHttp(new AddressPolicy(networks)).open;
  return { url, asked, open: outgoing(['127.0.0.1']), stranger: outgoing([]) };
}

describe('files of a model that are not there', () => {
  it('are fetched once, when that is allowed', async () => {
    const { url, open, asked } = await hub();
    const made = embedder({}, { url, open });
    expect(await made.embedder.dimensions(signal)).toBe(3);
    const folder = join(made.folder, 'made/model');
    for (const [name, content] of Object.entries(madeModelFiles()))
      expect(readFileSync(join(folder, name))).toEqual(content);
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    const count = asked.length;
    expect(await made.embedder.dimensions(signal)).toBe(3);
    expect(asked.length).toBe(count);
  });

  it('are not kept when they come with other bytes, and fetched again', async () => {
    let isSpoiling = true;
    const spoil = (path: string, content: Buffer) =>
      isSpoiling && path.endsWith('.onnx') ? content.subarray(1) : content;
    const { url, open } = await hub(spoil);
    const made = embedder({}, { url, open });
    await expect(made.embedder.dimensions(signal)).rejects.toThrow('sha256');
    const folder = join(made.folder, 'made/model');
    expect(readdirSync(join(folder, 'onnx'))).toEqual([]);
    isSpoiling = false;
    expect(await made.embedder.dimensions(signal)).toBe(3);
  });

  it('are fetched from allowed addresses alone', async () => {
    const { url, stranger } = await hub();
    const made = embedder({}, { url, open: stranger });
    await expect(made.embedder.dimensions(signal)).rejects.toThrow('no public address');
    expect(existsSync(join(made.folder, 'made'))).toBe(false);
  });
});
