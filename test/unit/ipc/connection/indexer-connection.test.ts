/**
 * Client and server of the indexer protocol over real sockets: order, size, faults on the wire,
 * reconnection, acknowledgements.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeyRing } from '../../../../src/auth/key-ring.ts';
import { newManifest } from '../../../../src/catalog/manifest.ts';
import { ApiError } from '../../../../src/core/errors.ts';
import { encodeFrame, FrameReader } from '../../../../src/ipc/connection/frames.ts';
import { Handshake, type HandshakeMessage } from '../../../../src/ipc/connection/handshake.ts';
import {
  IndexerClient,
  type IndexerClientOptions,
} from '../../../../src/ipc/connection/indexer-client.ts';
import {
  type FrontState,
  PROTOCOL_VERSION,
} from '../../../../src/ipc/connection/indexer-protocol.ts';
import {
  type IndexerHandlers,
  IndexerServer,
  type IndexerServerOptions,
  type PublishedState,
} from '../../../../src/ipc/connection/indexer-server.ts';
import { newWorkspace } from '../../../../src/model/chat-workspace.ts';
import { NO_FEATURES } from '../../../../src/model/features.ts';
import { type IndexManifest, manifestText } from '../../../../src/model/index-manifest.ts';
import { NO_NETWORK } from '../../../../src/model/network.ts';
import { apiKey } from '../../../support/api-keys.ts';
import { Gate } from '../../../support/gate.ts';
import { PATIENCE_MS, until } from '../../../support/until.ts';

const log = {
  info: () => {},
  warn: () => {},
  error: () => {},
  listen: () => () => {},
  setLevels: () => {},
};
const manifestOf = (
  uid: string,
  id: number,
  generation: number,
  primaryKey: string | null = null,
): IndexManifest => ({ ...newManifest(uid, id, primaryKey, '2026-01-01T00:00:00Z'), generation });

const SECRET = 'of both sides';
const LOST = { code: 'indexer_unavailable' };
const KEY = apiKey({ uid: '6062abda-a5aa-4414-ac91-ecd7944c0f8d' });
const ALIAS = { name: 'a', indexUid: 'i', createdAt: '', updatedAt: '' };
const WEBHOOK = { uuid: KEY.uid, url: 'https://example.com', headers: {} };
const page = { results: [], total: 0, limit: 0, from: null, next: null };
const handlersWith = (own: Partial<IndexerHandlers>): IndexerHandlers => ({
  enqueue: () => {
    throw new ApiError('invalid_index_uid', 'no such uid');
  },
  listTasks: () => page,
  getTask: () => null,
  waitForTask: () => false,
  listBatches: () => page,
  getBatch: () => null,
  getPayload: () => null,
  watchTasks: () => ({ records: [], next: 0 }),
  watchBatches: () => ({ records: [], next: 0 }),
  indexingNow: () => ({ indexing: [] }),
  checkFirst: () => null,
  instanceStats: () => ({ databaseSize: 1, usedDatabaseSize: 1, indexing: [] }),
  compactTasks: () => ({ bytesBefore: 2, bytesAfter: 1 }),
  updateFeatures: () => NO_FEATURES,
  updateNetwork: () => ({ value: NO_NETWORK, warnings: [] }),
  updateChat: ({ uid }) => ({ value: newWorkspace(uid), warnings: [] }),
  resetChat: ({ uid }) => newWorkspace(uid),
  deleteChat: () => null,
  putAlias: () => ALIAS,
  deleteAlias: () => null,
  createKey: () => KEY,
  updateKey: () => KEY,
  deleteKey: () => null,
  rotateKey: () => ({ replaced: KEY, created: KEY }),
  listWebhooks: () => [],
  getWebhook: () => WEBHOOK,
  getDeliveries: () => ({ attempts: [], waiting: 0 }),
  createWebhook: () => WEBHOOK,
  updateWebhook: () => ({ value: WEBHOOK, warnings: [] }),
  deleteWebhook: () => null,
  ...own,
});

const NO_TELEMETRY = { isCounting: false, target: null, sendsAt: null, bundles: [] };

let folder: string;
let address: string;
const toClose: (() => Promise<void>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gannet-ipc-'));
  address = join(folder, 'i.sock');
});
afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true });
});

const STATE: FrontState = {
  writer: { isHere: true, url: null },
  features: NO_FEATURES,
  network: NO_NETWORK,
  aliases: [ALIAS],
  chats: [newWorkspace('shop')],
};

const publishing = (own: Partial<PublishedState>) => ({
  published: (): PublishedState => ({
    state: STATE,
    keys: [],
    searchRules: [],
    manifests: [],
    checked: [],
    ...own,
  }),
});

async function listen(
  own: Partial<IndexerHandlers> = {},
  options: Partial<IndexerServerOptions> = {},
): Promise<IndexerServer> {
  const server = await IndexerServer.listen({
    address,
    secret: SECRET,
    handlers: handlersWith(own),
    ...publishing({}),
    metrics: async () => [],
    previewTelemetry: async () => NO_TELEMETRY,
    addAnalytics: async () => null,
    log,
    ...options,
  });
  toClose.push(() => server.close(100));
  return server;
}

function connectTo(options: Partial<IndexerClientOptions> = {}): IndexerClient {
  const client = new IndexerClient({
    address,
    secret: () => SECRET,
    locate: (indexId) => String(indexId),
    log,
    keys: new KeyRing(null),
    requestTimeoutMs: PATIENCE_MS,
    connectWaitMs: PATIENCE_MS,
    ...options,
  });
  client.start();
  toClose.push(() => client.close(100));
  return client;
}

describe('requests', () => {
  it('come back with their own replies, whatever the order of the answers', async () => {
    await listen({
      getTask: async ({ uid }) => {
        await sleep((7 * uid) % 20);
        return { uid } as never;
      },
    });
    const client = connectTo();
    const uids = Array.from({ length: 200 }, (_, uid) => uid);
    const replies = await Promise.all(uids.map((uid) => client.request('getTask', { uid })));
    expect(replies.map((reply) => reply?.uid)).toEqual(uids);
  });

  it('arrive in the order they were sent', async () => {
    const seen: number[] = [];
    await listen({
      getTask: ({ uid }) => {
        seen.push(uid);
        return null;
      },
    });
    const client = connectTo();
    await Promise.all(Array.from({ length: 500 }, (_, uid) => client.request('getTask', { uid })));
    expect(seen).toEqual(seen.slice().sort((a, b) => a - b));
  });

  it('carry code and message of an expected error', async () => {
    await listen();
    await expect(
      connectTo().request('enqueue', { type: 'indexDeletion', indexUid: '?' }),
    ).rejects.toMatchObject({
      code: 'invalid_index_uid',
      message: 'no such uid',
      status: 400,
    });
  });

  it('answer `internal` for a bug in a handler, and go on', async () => {
    let errors = 0;
    await listen(
      {
        getTask: () => {
          throw new TypeError('boom');
        },
      },
      { log: { ...log, error: () => (errors += 1) } },
    );
    const client = connectTo();
    await expect(client.request('getTask', { uid: 1 })).rejects.toMatchObject({ code: 'internal' });
    expect(errors).toBe(1);
    expect(await client.request('getBatch', { uid: 1 })).toBeNull();
  });

  it('carry frames of many megabytes in both directions', async () => {
    await listen({ enqueue: (draft) => ({ customMetadata: draft.customMetadata }) as never });
    const customMetadata = 'é'.repeat(10_000_000);
    const reply = await connectTo().request('enqueue', {
      type: 'indexDeletion',
      indexUid: 'a',
      customMetadata,
    });
    expect(reply.customMetadata).toBe(customMetadata);
  });

  it('fail when the reply does not come in time', async () => {
    await listen({ getTask: () => new Promise(() => {}) });
    const client = connectTo();
    await expect(client.request('getTask', { uid: 1 }, { timeoutMs: 30 })).rejects.toThrow(
      /did not answer `getTask`/,
    );
  });

  it('are refused beyond the limit of outstanding ones', async () => {
    await listen({ getTask: () => new Promise(() => {}) });
    const client = connectTo({ limits: { outstandingMax: 2 } });
    await client.whenReady(PATIENCE_MS);
    const waiting = [1, 2].map((uid) =>
      client.request('getTask', { uid }, { timeoutMs: 200 }).catch(() => {}),
    );
    await expect(client.request('getTask', { uid: 3 })).rejects.toMatchObject({ status: 503 });
    await Promise.all(waiting);
  });

  it('of unknown name answer an error', async () => {
    await listen();
    const client = connectTo();
    await expect(client.request('toString' as 'getTask', { uid: 1 })).rejects.toThrow(
      'unknown request `toString`',
    );
  });
});

describe('over TCP', () => {
  it('works the same', async () => {
    const server = await listen(
      {},
      { address: '127.0.0.1:0', ...publishing({ manifests: [manifestOf('a', 1, 1)] }) },
    );
    const client = connectTo({ address: `127.0.0.1:${server.port}` });
    expect(await client.whenReady(PATIENCE_MS)).toBe(true);
    expect(client.indexes.get('a')?.key).toBe('1:1');
  });
});

describe('manifests', () => {
  it('are all there when the client is ready', async () => {
    await listen(
      {},
      publishing({ manifests: [manifestOf('b', 2, 7), manifestOf('a', 1, 3, 'id')] }),
    );
    const client = connectTo();
    expect(await client.whenReady(PATIENCE_MS)).toBe(true);
    expect(client.indexes.list().map(({ manifest }) => manifest.uid)).toEqual(['a', 'b']);
    const published = client.indexes.get('a');
    expect(published?.manifest.primaryKey).toBe('id');
    expect(
      JSON.parse(
        new TextDecoder().decode(
          new Uint8Array(published?.shared ?? new SharedArrayBuffer(0)).slice(),
        ),
      ),
    ).toEqual(published?.manifest);
  });

  it('of a commit are heard before the reply that was sent after it', async () => {
    const server = await listen({
      getTask: () => {
        server.publish('indexPublished', { manifest: manifestText(manifestOf('a', 1, 9)) });
        return null;
      },
    });
    const client = connectTo();
    await client.request('getTask', { uid: 0 });
    expect(client.indexes.get('a')?.manifest.generation).toBe(9);
  });

  it('follow renames, swaps and removals', async () => {
    const server = await listen(
      {},
      publishing({ manifests: [manifestOf('a', 1, 1), manifestOf('b', 2, 1)] }),
    );
    const client = connectTo();
    await client.whenReady(PATIENCE_MS);
    server.publish('indexPublished', { manifest: manifestText(manifestOf('a', 2, 2)) });
    server.publish('indexPublished', { manifest: manifestText(manifestOf('b', 1, 2)) });
    await until('b is known', () => client.indexes.get('b')?.key === '1:2');
    expect(client.indexes.get('a')?.key).toBe('2:2');
    server.publish('indexPublished', { manifest: manifestText(manifestOf('c', 1, 3)) });
    server.publish('indexRemoved', { uid: 'b', indexId: 1 });
    await until('c is known', () => client.indexes.get('c')?.key === '1:3');
    expect(client.indexes.list().map(({ manifest }) => manifest.uid)).toEqual(['a', 'c']);
    server.publish('indexRemoved', { uid: 'c', indexId: 99 });
    server.publish('indexRemoved', { uid: 'a', indexId: 2 });
    await until('one is gone', () => client.indexes.list().length === 1);
    expect(client.indexes.get('c')).toBeDefined();
  });
});

describe('experimental features', () => {
  it('are known when the client is ready, and a change before the reply to it', async () => {
    const server = await listen(
      {
        updateFeatures: () => {
          const features = { ...NO_FEATURES, network: true };
          server.publish('stateChanged', { features });
          return features;
        },
      },
      publishing({ state: { ...STATE, features: { ...NO_FEATURES, containsFilter: true } } }),
    );
    const client = connectTo();
    expect(client.state.features).toEqual(NO_FEATURES);
    await client.whenReady(PATIENCE_MS);
    expect(client.state.features).toEqual({ ...NO_FEATURES, containsFilter: true });
    await client.request('updateFeatures', {});
    expect(client.state.features).toEqual({ ...NO_FEATURES, network: true });
  });
});

describe('API keys', () => {
  const uidsIn = (keys: KeyRing) => keys.list().map(({ record }) => record.uid);

  it('are known when the client is ready, follow events, and are reconciled after a reconnection', async () => {
    const keys = new KeyRing('master');
    const first = await listen({}, publishing({ keys: [KEY, { ...KEY, uid: 'gone' }] }));
    const client = connectTo({ keys });
    expect(client.isInitialised).toBe(false);
    await client.whenReady(PATIENCE_MS);
    expect(uidsIn(keys)).toEqual([KEY.uid, 'gone']);
    first.publish('keyPublished', { ...KEY, uid: 'new' });
    first.publish('keyRemoved', { uid: KEY.uid });
    await until('the key is gone', () => keys.byUid(KEY.uid) === undefined);
    expect(uidsIn(keys)).toEqual(['gone', 'new']);
    await first.close(100);
    await until('the connection is lost', () => !client.isConnected);
    expect(client.isInitialised).toBe(true);
    expect(uidsIn(keys)).toEqual(['gone', 'new']);
    await listen({}, publishing({ keys: [KEY] }));
    expect(await client.whenReady(PATIENCE_MS)).toBe(true);
    expect(uidsIn(keys)).toEqual([KEY.uid]);
  });

  it('changed are acted by in every connected front once `settled` resolves', async () => {
    const server = await listen({}, publishing({ keys: [KEY] }));
    const rings = [1, 2, 3].map(() => new KeyRing('master'));
    const clients = rings.map((keys) => connectTo({ keys }));
    for (const client of clients) await client.whenReady(PATIENCE_MS);
    server.publish('keyRemoved', { uid: KEY.uid });
    await server.settled(1000);
    expect(rings.map(uidsIn)).toEqual([[], [], []]);
  });

  it('do not wait for a front that never confirms', async () => {
    let warnings = 0;
    const server = await listen({}, { log: { ...log, warn: () => (warnings += 1) } });
    const deaf = connect(address);
    const handshake = new Handshake('front', SECRET);
    const reader = new FrameReader(1 << 20);
    deaf.write(encodeFrame(handshake.hello));
    deaf.on('data', (chunk) => {
      for (const message of reader.push(chunk)) {
        const reply = handshake.isDone ? null : handshake.receive(message as HandshakeMessage);
        if (reply !== null) deaf.write(encodeFrame(reply));
      }
    });
    await until('one front is left', () => server.frontCount === 1);
    await server.settled(30);
    expect(warnings).toBe(1);
    deaf.destroy();
  });
});

describe('when the indexer goes away', () => {
  it('manifests stay, and are reconciled at its return', async () => {
    const first = await listen(
      {},
      publishing({ manifests: [manifestOf('a', 1, 1), manifestOf('gone', 2, 1)] }),
    );
    const client = connectTo();
    await client.whenReady(PATIENCE_MS);
    await first.close(100);
    await until('the connection is lost', () => !client.isConnected);
    expect(client.indexes.list()).toHaveLength(2);
    await listen({}, publishing({ manifests: [manifestOf('a', 1, 2), manifestOf('new', 3, 1)] }));
    expect(await client.whenReady(PATIENCE_MS)).toBe(true);
    expect(client.indexes.list().map(({ key }) => key)).toEqual(['1:2', '3:1']);
  });

  it('a request waits a while for its return', async () => {
    const client = connectTo();
    const reply = client.request('getBatch', { uid: 1 });
    await sleep(50);
    await listen();
    expect(await reply).toBeNull();
  });

  it('a request fails readably when it does not return', async () => {
    const client = connectTo({ connectWaitMs: 40 });
    await expect(client.request('getTask', { uid: 1 })).rejects.toMatchObject({
      code: 'indexer_unavailable',
      status: 503,
      message: 'The indexer is unavailable at the moment. Please retry later.',
    });
  });

  it('a read in flight is asked again, a write is not', async () => {
    let inFlight = 0;
    const hang = () => {
      inFlight += 1;
      return new Promise<never>(() => {});
    };
    const first = await listen({ getTask: hang, enqueue: hang });
    const client = connectTo();
    await client.whenReady(PATIENCE_MS);
    const read = client.request('getTask', { uid: 5 });
    const write = client.request('enqueue', { type: 'indexDeletion', indexUid: 'a' });
    await until('both have arrived', () => inFlight === 2);
    void first.close(0);
    await expect(write).rejects.toThrow(/lost before it answered/);
    await listen({ getTask: ({ uid }) => ({ uid }) as never });
    expect((await read)?.uid).toBe(5);
  });
});

describe('the secret', () => {
  it('must be the same on both sides: otherwise no event is sent and no request is served', async () => {
    const warnings: string[] = [];
    const server = await listen(
      {},
      {
        ...publishing({ keys: [KEY] }),
        log: { ...log, warn: (text) => warnings.push(String(text)) },
      },
    );
    const keys = new KeyRing('master');
    const client = connectTo({ keys, secret: () => 'of one side', connectWaitMs: 50 });
    expect(await client.whenReady(200)).toBe(false);
    await expect(client.request('listTasks', {} as never)).rejects.toMatchObject({ status: 503 });
    expect(keys.list()).toEqual([]);
    expect(server.frontCount).toBe(0);
    expect(warnings[0]).toContain('does not hold the same secret');
  });

  it('that does not exist yet is waited for', async () => {
    await listen();
    let secret: string | null = null;
    const client = connectTo({ secret: () => secret });
    expect(await client.whenReady(50)).toBe(false);
    secret = SECRET;
    expect(await client.whenReady(PATIENCE_MS)).toBe(true);
  });

  it('is never sent, and the proof of one side is none of the other', () => {
    const front = new Handshake('front', SECRET);
    const echo = new Handshake('front', SECRET);
    const sent = [front.hello, front.receive(echo.hello)];
    expect(JSON.stringify(sent)).not.toContain(SECRET);
    expect(() => front.receive(sent[1] as HandshakeMessage)).toThrow('same secret');
    expect(front.isDone).toBe(false);
  });
});

describe('a wire that misbehaves', () => {
  const HELLO = encodeFrame({ v: PROTOCOL_VERSION, c: 'a nonce' });
  /** A raw connection to the server, without a channel. */
  const raw = (): Promise<Socket> =>
    new Promise((resolve) => {
      const socket = connect(address, () => resolve(socket));
      socket.on('error', () => {});
      socket.resume();
    });
  const closed = (socket: Socket): Promise<void> =>
    new Promise((resolve) => socket.once('close', () => resolve()));

  it.each([
    ['garbage', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['an oversized length', Buffer.from([0xff, 0xff, 0xff, 0xff])],
    ['no JSON', Buffer.concat([Buffer.from([2, 0, 0, 0]), Buffer.from('{]')])],
    ['another version', encodeFrame({ v: PROTOCOL_VERSION + 1 })],
    ['a request before the greeting', encodeFrame({ q: 1, n: 'getTask', a: { uid: 1 } })],
    ['a greeting without a nonce', encodeFrame({ v: PROTOCOL_VERSION })],
    ['a greeting beyond 1 KB', encodeFrame({ v: PROTOCOL_VERSION, c: 'x'.repeat(1100) })],
    ['no object', Buffer.concat([HELLO, encodeFrame(null)])],
    ['a wrong proof', Buffer.concat([HELLO, encodeFrame({ p: 'x'.repeat(43) })])],
    ['a request instead of a proof', Buffer.concat([HELLO, encodeFrame({ q: 1, n: 'getTask' })])],
  ])('%s ends that connection only', async (_, bytes) => {
    const server = await listen();
    const client = connectTo();
    await client.whenReady(PATIENCE_MS);
    const bad = await raw();
    bad.write(bytes);
    await closed(bad);
    expect(await client.request('getBatch', { uid: 1 })).toBeNull();
    expect(server.frontCount).toBe(1);
  });

  it('a frame cut in the middle is forgotten with its connection', async () => {
    await listen();
    const bad = await raw();
    bad.end(Buffer.concat([HELLO, Buffer.from([100, 0, 0, 0, 1, 2])]));
    await closed(bad);
    expect(await connectTo().request('getBatch', { uid: 1 })).toBeNull();
  });

  it('a peer that is no indexer is tried again until the indexer is there', async () => {
    const impostor = createServer((socket) => {
      socket.on('error', () => {}).resume();
      socket.end('220 smtp ready\r\n');
    });
    await new Promise<void>((resolve) => impostor.listen(address, resolve));
    const client = connectTo();
    expect(await client.whenReady(100)).toBe(false);
    await new Promise((resolve) => impostor.close(resolve));
    await listen();
    expect(await client.whenReady(PATIENCE_MS)).toBe(true);
  });
});

describe('acknowledgements', () => {
  it('give the lowest generation that a connected front may still read', async () => {
    const server = await listen({}, publishing({ manifests: [manifestOf('a', 1, 4)] }));
    expect(server.minimumAcknowledged(1)).toBe(Number.POSITIVE_INFINITY);
    connectTo();
    await until('it is acknowledged', () => server.minimumAcknowledged(1) === 4);
    let release: () => void = () => {};
    const published: string[] = [];
    const slow = connectTo({
      onPublished: ({ key }) => void published.push(key),
      released: ({ manifest }) =>
        manifest.generation < 5 ? Promise.resolve() : new Promise((resolve) => (release = resolve)),
    });
    await slow.whenReady(PATIENCE_MS);
    server.publish('indexPublished', { manifest: manifestText(manifestOf('a', 1, 5)) });
    await until('the next is known', () => slow.indexes.get('a')?.key === '1:5');
    await sleep(30);
    expect(server.minimumAcknowledged(1)).toBe(4);
    expect(published).toEqual(['1:5']);
    release();
    await until('the next is acknowledged', () => server.minimumAcknowledged(1) === 5);
    expect(server.minimumAcknowledged(77)).toBe(0);
  });
});

describe('closing the server', () => {
  it('answers what is being handled first', async () => {
    const gate = new Gate();
    const server = await listen({
      getTask: async ({ uid }) => {
        await gate.pass();
        return { uid } as never;
      },
    });
    const client = connectTo();
    await client.whenReady(PATIENCE_MS);
    const reply = client.request('getTask', { uid: 3 });
    await gate.entered;
    const closed = server.close(PATIENCE_MS);
    gate.release();
    await closed;
    expect((await reply)?.uid).toBe(3);
  });

  it('does not wait for a request that takes longer than it may', async () => {
    const gate = new Gate();
    const server = await listen({
      watchTasks: async () => {
        await gate.pass();
        return { records: [], next: 0 };
      },
    });
    const client = connectTo();
    await client.whenReady(PATIENCE_MS);
    const watched = client.request('watchTasks', { after: 0 });
    const lost = expect(watched).rejects.toMatchObject(LOST);
    await gate.entered;
    await server.close(0);
    await client.close(0);
    await lost;
    gate.release();
  });
});

describe('closing the client', () => {
  it('rejects requests that wait for a connection, and later ones', async () => {
    const client = connectTo({ connectWaitMs: 100 * PATIENCE_MS });
    const ask = () => expect(client.request('getTask', { uid: 1 })).rejects.toMatchObject(LOST);
    const lost = ask();
    await client.close(0);
    await lost;
    await ask();
  });
});
