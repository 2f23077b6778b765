/** Exports to a made instance on a real socket: what is sent, faults, places, cancelation. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { newManifest } from '../../../src/catalog/manifest.ts';
import { Exporter, type ExportPlace, type ReadOut } from '../../../src/export/exporter.ts';
import { AddressPolicy } from '../../../src/http-client/address-policy.ts';
import { OutgoingHttp } from '../../../src/http-client/outgoing-http.ts';
import { BatchProgress } from '../../../src/model/batch-progress.ts';
import type { ExportedIndexes, ExportRequest } from '../../../src/model/export.ts';
import type { IndexManifest } from '../../../src/model/index-manifest.ts';
import { PATIENCE_MS } from '../../support/until.ts';

interface Asked {
  readonly what: string;
  readonly body: string;
  readonly authorization: string | undefined;
}
type Script = (what: string, at: number) => { readonly status: number; readonly json?: unknown };

const toClose: (() => void)[] = [];
afterEach(() => {
  for (const close of toClose.splice(0)) close();
});

/** Knows no index and accepts everything, if the script does not say otherwise. */
async function instance(script?: Script): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const isCompressed = request.headers['content-encoding'] === 'gzip';
    const what = `${request.method} ${request.url}`;
    const { authorization } = request.headers;
    asked.push({ what, body: String(isCompressed ? gunzipSync(bytes) : bytes), authorization });
    const made = script?.(what, asked.length - 1);
    const { status, json = {} } = made ?? { status: what.startsWith('GET') ? 404 : 202 };
    response.writeHead(status).end(JSON.stringify(json));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  toClose.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/base`, asked };
}

const manifest = (uid: string, members: Partial<IndexManifest> = {}): IndexManifest => ({
  ...newManifest(uid, uid.length, 'id', ''),
  ...members,
});

/** Four documents an index, two a part. */
const readOut: ReadOut = async ({ uid }, { fromDocId }) => ({
  lines: Buffer.from([0, 1].map((i) => `{"id":"${uid}${fromDocId + i}"}\n`).join('')),
  documentCount: 2,
  nextDocId: fromDocId === 0 ? 2 : null,
});

const ALL: ExportRequest['indexes'] = { '*': { filter: null, overrideSettings: false } };

interface Options {
  readonly indexes?: readonly IndexManifest[];
  readonly request?: Partial<ExportRequest>;
  readonly place?: ExportPlace;
  readonly progress?: BatchProgress;
  readonly read?: ReadOut;
  readonly networks?: readonly string[];
  readonly giveUpMs?: number;
}

function run(url: string, options: Options = {}) {
  const { indexes = [manifest('films')], request, place = null, read = readOut } = options;
  const { giveUpMs = PATIENCE_MS } = options;
  const http = new OutgoingHttp(new AddressPolicy(options.networks ?? ['127.0.0.1']));
  toClose.push(() => http.close());
  const places: ExportPlace[] = [];
  const exporter = new Exporter({
    send: http.send,
    hold: () => ({ indexes, release: () => undefined }),
    readOut: read,
    timing: { delayMsMin: 2, delayMsMax: 5, giveUpMs, timeoutMs: PATIENCE_MS },
  });
  const sent = exporter.run({
    request: { url, apiKey: null, payloadBytesMax: 1000, indexes: ALL, ...request },
    progress: options.progress ?? new BatchProgress(),
    place,
    keepPlace: async (kept) => void places.push(kept),
  });
  return { sent, places };
}

const whats = (asked: readonly Asked[]) => asked.map(({ what }) => what);
const DOCUMENTS = 'POST /base/indexes/films/documents?primaryKey=id';

describe('an export', () => {
  it('makes the index, sends its settings and all documents in parts', async () => {
    const { url, asked } = await instance();
    const { sent, places } = run(url, { request: { apiKey: 'k' } });
    expect(await sent).toEqual({ films: 4 });
    expect(whats(asked)).toEqual([
      'GET /base/indexes/films',
      'POST /base/indexes',
      'PATCH /base/indexes/films/settings',
      DOCUMENTS,
      DOCUMENTS,
    ]);
    expect(asked[1]?.body).toBe('{"uid":"films","primaryKey":"id"}');
    expect(JSON.parse(asked[2]?.body ?? '')).toMatchObject({ searchableAttributes: ['*'] });
    expect(asked[2]?.body).not.toMatch(/chat|foreignKeys|matchingStrategy|inflections/);
    expect(asked[3]?.body).toBe('{"id":"films0"}\n{"id":"films1"}\n');
    expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer k']));
    expect(places.at(-1)).toEqual({ done: ['films'], current: null, sent: { films: 4 } });
  });

  it('leaves settings of an index that is there alone, unless it is to override them', async () => {
    const there: Script = (what) => ({
      status: what.startsWith('GET') ? 200 : 202,
      json: { primaryKey: 'id' },
    });
    const kept = await instance(there);
    await run(kept.url).sent;
    expect(whats(kept.asked)).toEqual(['GET /base/indexes/films', DOCUMENTS, DOCUMENTS]);
    const replaced = await instance(there);
    await run(replaced.url, {
      request: { indexes: { films: { filter: null, overrideSettings: true } } },
    }).sent;
    expect(whats(replaced.asked)[1]).toBe('PATCH /base/indexes/films/settings');
  });

  it('takes for each index the pattern that says most, with its filter', async () => {
    const { url, asked } = await instance();
    const filters = new Map<string, unknown>();
    const read: ReadOut = (index, part) => {
      filters.set(index.uid, part.filter);
      return readOut(index, part);
    };
    const options = (filter: string): ExportedIndexes => ({ filter, overrideSettings: false });
    const { sent } = run(url, {
      read,
      indexes: ['films', 'films_old', 'books', 'other'].map((uid) => manifest(uid)),
      request: {
        indexes: { 'films*': options('a'), films_old: options('b'), books: options('c') },
      },
    });
    expect(await sent).toEqual({ films: 4, films_old: 4, books: 4 });
    expect(Object.fromEntries(filters)).toEqual({ films: 'a', films_old: 'b', books: 'c' });
    expect(whats(asked).join()).not.toContain('other');
  });

  it('splits documents into requests of the given size', async () => {
    const { url, asked } = await instance();
    await run(url, { request: { payloadBytesMax: 20 } }).sent;
    expect(asked.slice(3).map(({ body }) => body.trim().split('\n').length)).toEqual([1, 1, 1, 1]);
  });

  it('asks again while the instance is overloaded, and repeats nothing that was taken', async () => {
    const { url, asked } = await instance((what, at) => ({
      status: at === 3 ? 503 : at === 4 ? 429 : what.startsWith('GET') ? 404 : 202,
    }));
    expect(await run(url).sent).toEqual({ films: 4 });
    expect(whats(asked).filter((what) => what === DOCUMENTS)).toHaveLength(4);
  });

  it('goes on where it was', async () => {
    const { url, asked } = await instance();
    const { sent } = run(url, {
      indexes: ['books', 'films'].map((uid) => manifest(uid)),
      place: {
        done: ['books'],
        current: { indexUid: 'films', fromDocId: 2 },
        sent: { books: 4, films: 2 },
      },
    });
    expect(await sent).toEqual({ books: 4, films: 4 });
    expect(asked.map(({ what, body }) => [what, body])).toEqual([
      [DOCUMENTS, '{"id":"films2"}\n{"id":"films3"}\n'],
    ]);
  });

  it('fails with the reason when the instance refuses, at once', async () => {
    const { url, asked } = await instance(() => ({
      status: 403,
      json: { code: 'invalid_api_key', message: 'The provided API key is invalid.' },
    }));
    await expect(run(url).sent).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringContaining('The provided API key is invalid. (invalid_api_key)'),
    });
    expect(asked).toHaveLength(1);
  });

  it('fails when another primary key is there', async () => {
    const { url } = await instance(() => ({ status: 200, json: { primaryKey: 'isbn' } }));
    await expect(run(url).sent).rejects.toThrow('`isbn` in the other instance');
  });

  it('fails when another server answers', async () => {
    const { url } = await instance(() => ({ status: 200, json: '<html>' }));
    await expect(run(url).sent).rejects.toMatchObject({ code: 'remote_bad_response' });
  });

  it('fails after some time without an instance, and at once for a private address', async () => {
    await expect(run('http://127.0.0.1:1', { giveUpMs: 200 }).sent).rejects.toMatchObject({
      code: 'remote_could_not_send_request',
    });
    await expect(run('http://10.0.0.1', { networks: [] }).sent).rejects.toThrow(
      'has no public address',
    );
  });

  it('ends soon when its batch is canceled, also while it waits', async () => {
    const { url } = await instance(() => ({ status: 503 }));
    const progress = new BatchProgress();
    const { sent } = run(url, { progress });
    progress.cancel();
    await expect(sent).rejects.toThrow('the batch is canceled');
  });
});
