/** An index is compared with its source: `GET /indexes/{uid}/fingerprint` and `gannet verify --source`. */

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Meilisearch } from 'meilisearch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentFingerprint } from '../../src/model/document-fingerprint.ts';
import { runGannet } from '../support/run-gannet.ts';
import { cleanUp, clientOf, freshFolder, TestServer } from '../support/test-server.ts';

interface Film {
  readonly id: number;
  readonly title: string;
}
interface Sums {
  readonly numberOfDocuments: number;
  readonly fingerprint: string;
  readonly parts?: readonly { readonly prefix: string; readonly numberOfDocuments: number }[];
}

const COUNT = 10_000;
const folder = freshFolder();
const films = (from: number, to: number): Film[] =>
  Array.from({ length: to - from }, (_, i) => ({ id: from + i, title: `film ${from + i}` }));

let server: TestServer;
let client: Meilisearch;
beforeAll(async () => {
  server = await TestServer.start();
  client = clientOf(server.url);
});
afterAll(cleanUp);

const sumsOf = async (uid: string, query = ''): Promise<Sums> =>
  (await (await fetch(`${server.url}/indexes/${uid}/fingerprint${query}`)).json()) as Sums;

const add = (uid: string, documents: readonly object[]) =>
  client
    .index(uid)
    .addDocuments([...documents], { primaryKey: 'id' })
    .waitTask();

function sourceOf(documents: readonly object[], name = 'source.ndjson'): string {
  const file = join(folder, name);
  const text = documents.map((document) => `${JSON.stringify(document)}\n`).join('');
  writeFileSync(file, name.endsWith('.gz') ? gzipSync(text) : text);
  return file;
}

async function verify(
  source: string,
  ...options: string[]
): Promise<Readonly<Record<string, unknown>>> {
  const args = ['verify', '--source', source, '--index', 'films', '--url', server.url, '--json'];
  const { out, code } = await runGannet([...args, ...options]);
  const found = JSON.parse(out) as Record<string, unknown>;
  return { ...found, code };
}

describe('a fingerprint of an index', () => {
  it('is the same whatever the order, the batches and the deleted documents', async () => {
    await add('films', films(0, COUNT));
    await add('others', films(5000, COUNT).reverse());
    await add('others', [{ id: 7, title: 'old' }, ...films(COUNT, COUNT + 100)]);
    await add('others', films(0, 5000));
    expect((await sumsOf('others')).numberOfDocuments).toBe(COUNT + 100);
    const gone = films(COUNT, COUNT + 100).map(({ id }) => id);
    await client.index('others').deleteDocuments(gone).waitTask();
    const [own, others] = await Promise.all([sumsOf('films'), sumsOf('others')]);
    expect(own).toEqual(others);
    expect(own.numberOfDocuments).toBe(COUNT);
    expect(await sumsOf('films')).toEqual(own);
  });

  it('has parts, and lists the documents of a part', async () => {
    const { parts = [], numberOfDocuments } = await sumsOf('films', '?parts=true');
    expect(parts).toHaveLength(256);
    expect(parts.reduce((sum, part) => sum + part.numberOfDocuments, 0)).toBe(numberOfDocuments);
    const { prefix } = parts[0] as { prefix: string };
    const url = `${server.url}/indexes/films/fingerprint?documents=${prefix}`;
    const { documents } = (await (await fetch(url)).json()) as {
      documents: { id: string; fingerprint: string }[];
    };
    expect(documents).toHaveLength(parts[0]?.numberOfDocuments ?? 0);
    for (const { id, fingerprint } of documents)
      expect(documentFingerprint({ title: `film ${id}`, id: Number(id) })).toBe(fingerprint);
  });

  it('follows a change at once', async () => {
    const before = await sumsOf('films');
    await add('films', [{ id: 1, title: 'another title' }]);
    expect((await sumsOf('films')).fingerprint).not.toBe(before.fingerprint);
    await add('films', [{ id: 1, title: 'film 1' }]);
    expect(await sumsOf('films')).toEqual(before);
  });
});

describe('gannet verify --source', () => {
  it('says that the index equals its source', async () => {
    const source = sourceOf(films(0, COUNT).reverse());
    expect(await verify(source)).toMatchObject({ code: 0, isEqual: true, missing: [] });
  });

  it('finds the ids that differ, also from a packed file', async () => {
    const documents = films(0, COUNT).filter(({ id }) => id !== 77 && id !== 78);
    documents[5] = { id: 5, title: 'changed' };
    const source = sourceOf([...documents, { id: 'new', title: 'x' }], 'source.jsonl.gz');
    expect(await verify(source)).toMatchObject({
      code: 1,
      isEqual: false,
      missing: ['new'],
      surplus: expect.toSatisfy((ids: string[]) => [...ids].sort().join() === '77,78'),
      changed: ['5'],
      isCut: false,
    });
  });

  it('ends at the limit', async () => {
    const found = await verify(sourceOf(films(0, 50)), '--limit', '7');
    expect(found).toMatchObject({ code: 1, isCut: true });
    expect(found['surplus']).toHaveLength(7);
  });

  it('counts the last of documents with one id', async () => {
    const source = sourceOf([{ id: 3, title: 'early' }, ...films(0, COUNT)]);
    expect(await verify(source)).toMatchObject({
      code: 0,
      isEqual: true,
      numberOfDocuments: { index: COUNT, source: COUNT + 1 },
    });
  });

  it('reads a source at an address', async () => {
    const text = films(0, COUNT)
      .map((film) => JSON.stringify(film))
      .join('\n');
    const files = createServer((_, answer) => answer.end(text)).listen(0, '127.0.0.1');
    await new Promise((resolve) => files.once('listening', resolve));
    const { port } = files.address() as AddressInfo;
    expect(await verify(`http://127.0.0.1:${port}/films.ndjson`)).toMatchObject({ code: 0 });
    files.close();
  });

  it.each([
    ['absent.ndjson', 'file not found'],
    ['films.csv', '.json, .jsonl, .ndjson'],
  ])('refuses %s', async (source, message) => {
    const args = ['verify', '--source', source, '--index', 'films', '--url', server.url];
    const { code, err } = await runGannet(args);
    expect([code === 0, err]).toEqual([false, expect.stringContaining(message)]);
  });
});
