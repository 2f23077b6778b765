/** An index is compared with its source: `GET /indexes/{uid}/fingerprint` and `gannet verify --source`. */

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentFingerprint } from '../../src/model/document-fingerprint.ts';
import { runGannet } from '../support/run-gannet.ts';
import { freshUid, MASTER_KEY, type SharedServer, sharedServer } from '../support/shared-server.ts';
import { cleanUp, freshFolder } from '../support/test-server.ts';

interface Film {
  readonly id: number;
  readonly title: string;
}
interface Sums {
  readonly numberOfDocuments: number;
  readonly fingerprint: string;
  readonly parts?: readonly { readonly prefix: string; readonly numberOfDocuments: number }[];
}

/** Enough that no part of an index is empty. */
const COUNT = 4000;
const HALF = COUNT / 2;
const folder = freshFolder();
const films = (from: number, to: number): Film[] =>
  Array.from({ length: to - from }, (_, i) => ({ id: from + i, title: `film ${from + i}` }));

const FILMS = freshUid('films');
const OTHERS = freshUid('others');
let server: SharedServer;
beforeAll(async () => {
  server = await sharedServer();
});
afterAll(cleanUp);

const sumsOf = async (uid: string, query = ''): Promise<Sums> =>
  (await server.call('GET', `/indexes/${uid}/fingerprint${query}`)).json as Sums;

const add = (uid: string, documents: readonly object[]) =>
  server.client
    .index(uid)
    .addDocuments([...documents], { primaryKey: 'id' })
    .waitTask();

function sourceOf(documents: readonly object[], name = 'source.ndjson'): string {
  const file = join(folder, name);
  const text = documents.map((document) => `${JSON.stringify(document)}\n`).join('');
  writeFileSync(file, name.endsWith('.gz') ? gzipSync(text) : text);
  return file;
}

const verifying = (source: string): string[] => [
  ...['verify', '--source', source, '--index', FILMS],
  ...['--url', server.url, '--key', MASTER_KEY],
];

async function verify(
  source: string,
  ...options: string[]
): Promise<Readonly<Record<string, unknown>>> {
  const { out, code } = await runGannet([...verifying(source), '--json', ...options]);
  const found = JSON.parse(out) as Record<string, unknown>;
  return { ...found, code };
}

describe('a fingerprint of an index', () => {
  it('is the same whatever the order, the batches and the deleted documents', async () => {
    await add(FILMS, films(0, COUNT));
    await add(OTHERS, films(HALF, COUNT).reverse());
    await add(OTHERS, [{ id: 7, title: 'old' }, ...films(COUNT, COUNT + 100)]);
    await add(OTHERS, films(0, HALF));
    expect((await sumsOf(OTHERS)).numberOfDocuments).toBe(COUNT + 100);
    const gone = films(COUNT, COUNT + 100).map(({ id }) => id);
    await server.client.index(OTHERS).deleteDocuments(gone).waitTask();
    const [own, others] = await Promise.all([sumsOf(FILMS), sumsOf(OTHERS)]);
    expect(own).toEqual(others);
    expect(own.numberOfDocuments).toBe(COUNT);
    expect(await sumsOf(FILMS)).toEqual(own);
  });

  it('has parts, and lists the documents of a part', async () => {
    const { parts = [], numberOfDocuments } = await sumsOf(FILMS, '?parts=true');
    expect(parts).toHaveLength(256);
    expect(parts.reduce((sum, part) => sum + part.numberOfDocuments, 0)).toBe(numberOfDocuments);
    const { prefix } = parts[0] as { prefix: string };
    const path = `/indexes/${FILMS}/fingerprint?documents=${prefix}`;
    const { documents } = (await server.call('GET', path)).json as {
      documents: { id: string; fingerprint: string }[];
    };
    expect(documents).toHaveLength(parts[0]?.numberOfDocuments ?? 0);
    for (const { id, fingerprint } of documents)
      expect(documentFingerprint({ title: `film ${id}`, id: Number(id) })).toBe(fingerprint);
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

  it('compares all digits of integers, and reads ids at paths', async () => {
    const uid = freshUid('nested');
    const text = (last: string) =>
      `{"a":{"id":9007199254740993},"b":9007199254740995}\n{"a":{"id":1},"b":1234567890123456${last}}\n`;
    const file = join(folder, 'long.ndjson');
    writeFileSync(file, text('789'));
    const target = ['--index', uid, '--url', server.url, '--key', MASTER_KEY, '--json'];
    await runGannet(['import', file, '--primary-key', 'a.id', ...target]);
    const verified = async () => (await runGannet(['verify', '--source', file, ...target])).values;
    expect(await verified()).toMatchObject([{ isEqual: true, missing: [], surplus: [] }]);
    writeFileSync(file, text('788'));
    expect(await verified()).toMatchObject([{ isEqual: false, changed: ['1'], missing: [] }]);
  });

  it.each([
    ['absent.ndjson', 'file not found'],
    ['films.xml', '.json, .jsonl, .ndjson or .csv'],
  ])('refuses %s', async (source, message) => {
    const { code, err } = await runGannet(verifying(source));
    expect([code === 0, err]).toEqual([false, expect.stringContaining(message)]);
  });
});

describe('gannet verify --source with CSV', () => {
  const RATED = freshUid('rated');
  const HEADER = ['id:number', 'title', 'rating:number', 'isNew:boolean'];
  const row = (id: number): string[] =>
    id === 9
      ? ['9', '', '', '']
      : [`${id}`, `"film; \t""${id}""\n${'again '.repeat(60)}"`, `${id % 7}.50`, `${id % 2 === 0}`];
  // The command reads them in more than one part.
  const rows = Array.from({ length: 4000 }, (_, id) => row(id));
  const csvOf = (name: string, own: readonly string[][], delimiter: string): string => {
    const file = join(folder, name);
    const text = [HEADER, ...own].map((cells) => cells.join(delimiter)).join('\n');
    writeFileSync(file, name.endsWith('.gz') ? gzipSync(text) : text);
    return file;
  };
  const target = () => ['--index', RATED, '--url', server.url, '--key', MASTER_KEY];
  const verifyRated = async (source: string, delimiter: string) => {
    const args = ['verify', '--source', source, '--delimiter', delimiter, '--json'];
    const { values, code } = await runGannet([...args, ...target()]);
    return { ...(values[0] as object), code };
  };

  beforeAll(async () => {
    const file = csvOf('rated.csv', rows, ';');
    const imported = await runGannet(['import', file, '--delimiter', ';', ...target()]);
    expect(imported).toMatchObject({ code: 0 });
  });

  it('gives columns the types that the import gives them', async () => {
    const file = csvOf('reversed.csv', [...rows].reverse(), ';');
    expect(await verifyRated(file, ';')).toMatchObject({
      code: 0,
      isEqual: true,
      numberOfDocuments: { index: rows.length, source: rows.length },
    });
  });

  it('finds rows that differ, with tabs and packed', async () => {
    const others = rows.filter((_, id) => id !== 12);
    others[3000] = ['3001', 'x', '', ''];
    expect(await verifyRated(csvOf('others.csv.gz', others, '\t'), 'tab')).toMatchObject({
      code: 1,
      missing: [],
      surplus: ['12'],
      changed: ['3001'],
    });
  });

  it('names a malformed row by its place in the file', async () => {
    const file = csvOf('malformed.csv', [...rows, ['7', 'too few']], ';');
    expect(await verifyRated(file, ';')).toMatchObject({
      code: 1,
      error: { message: expect.stringContaining(`row ${rows.length + 2} has 2 cells`) },
    });
  });
});
