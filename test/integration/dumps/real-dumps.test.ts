/**
 * Dumps that Meilisearch made (V5 of 0.29; V6 of 1.5, 1.8 and 1.13), imported: everything that
 * `contents.json` says is in them is there.
 */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { liveDocumentCount } from '../../../src/model/index-manifest.ts';
import { importedFolder } from '../../support/imported-folder.ts';
import { inProcessWriters } from '../../support/in-process-writers.ts';
import { type Harness, openHarness } from '../../support/indexer-harness.ts';
import { REAL_DUMPS, WITHOUT_REAL_DUMPS } from '../../support/real-dumps.ts';

interface Contents {
  readonly file: string;
  readonly indexes: readonly {
    readonly uid: string;
    readonly primaryKey: string;
    readonly documents: number;
    readonly settings: Readonly<Record<string, unknown>>;
  }[];
  readonly keys: readonly { readonly uid: string; readonly actions: readonly string[] }[];
  readonly task_list: readonly (readonly [number, string, string, string | null])[];
}

const contents: readonly Contents[] =
  REAL_DUMPS === null
    ? []
    : (JSON.parse(fs.readFileSync(path.join(REAL_DUMPS, 'contents.json'), 'utf8')) as Contents[]);

let harness: Harness | null = null;
afterEach(() => harness?.service.drain());

async function imported(file: string): Promise<Harness & { said: readonly string[] }> {
  const { dbPath, logged } = await importedFolder(path.join(REAL_DUMPS ?? '', file));
  harness = await openHarness({ dataDir: dbPath, openWriter: inProcessWriters() });
  return { ...harness, said: logged };
}

/** The status that a task of the dump has after the import. */
const STATUS: Readonly<Record<string, string>> = { created: 'enqueued', processing: 'succeeded' };

/** What became of tasks before anything is processed. */
async function tasksOf({ service }: Harness) {
  const { results } = await service.handlers.listTasks({ limit: 100, from: null, reverse: true });
  return results;
}

describe.skipIf(REAL_DUMPS === null)(`a dump of Meilisearch${WITHOUT_REAL_DUMPS}`, () => {
  it.each(contents)('$file brings its indexes with documents and settings', async (dump) => {
    const { manifest } = await imported(dump.file);
    for (const { uid, primaryKey, documents, settings } of dump.indexes) {
      const found = manifest(uid);
      expect(found?.primaryKey, uid).toBe(primaryKey);
      expect(found && liveDocumentCount(found), uid).toBe(documents);
      const { embedders: _, ...others } = settings;
      const kept = Object.fromEntries(
        Object.keys(others).map((name) => [name, found?.settings[name as never]]),
      );
      expect(kept, uid).toMatchObject(unordered(others));
    }
  });

  it.each(contents)('$file brings its keys with their uids', async (dump) => {
    const { service } = await imported(dump.file);
    const found = [...service.parts.keys.all()].map(({ uid, actions }) => ({ uid, actions }));
    const wanted = dump.keys.map(({ uid, actions }) => ({ uid, actions }));
    expect(found.sort(byUid)).toEqual(wanted.sort(byUid));
  });

  it.each(contents)('$file brings its tasks', async (dump) => {
    const found = await tasksOf(await imported(dump.file));
    expect(found.map(({ uid, status, indexUid }) => [uid, status, indexUid])).toEqual(
      [...dump.task_list]
        .sort(([a], [b]) => a - b)
        .map(([uid, status, , indexUid]) => [
          uid,
          STATUS[status] ?? status,
          dump.file === 'v5.dump' ? found[uid]?.indexUid : indexUid,
        ]),
    );
  });

  it('of V5 goes on with the task that was waiting, and its documents', async () => {
    const { service, wait, manifest } = await imported('v5.dump');
    service.start();
    const [task] = await wait([20]);
    expect(task).toMatchObject({
      status: 'succeeded',
      indexUid: 'movies_2',
      details: { receivedDocuments: 200, indexedDocuments: 200 },
    });
    const made = manifest('movies_2');
    expect(made && liveDocumentCount(made)).toBe(200);
  });

  it('of V6 goes on with the task that was waiting, under the next uids', async () => {
    const { service, wait, manifest, send } = await imported(
      'v6_v1.13.0_batches_and_enqueued_tasks.dump',
    );
    service.start();
    const [task] = await wait([2]);
    expect(task).toMatchObject({ status: 'succeeded', batchUid: 2 });
    const kefir = manifest('kefir');
    expect(kefir && liveDocumentCount(kefir)).toBe(2);
    expect(await send({ type: 'indexCreation', indexUid: 'new', primaryKey: null })).toEqual([4]);
  });

  it('brings its batches', async () => {
    const { service } = await imported('v6_v1.13.0_batches_and_enqueued_tasks.dump');
    expect(await service.handlers.getBatch({ uid: 1 })).toMatchObject({
      stats: { totalNbTasks: 1, types: { documentAdditionOrUpdate: 1 } },
      finishedAt: '2025-02-04T10:15:21.420468Z',
    });
  });

  it('keeps vectors of a local model that is not here, and says what is not as it was', async () => {
    const { manifest, said } = await imported('v6-with-vectors.dump');
    expect(manifest('vector')?.settings.embedders['default']).toMatchObject({
      source: 'huggingFace',
      pooling: 'forceMean',
      dimensions: 768,
    });
    expect(said.some((line) => line.endsWith('stay off: vectorStore'))).toBe(true);
  });
});

const byUid = (a: { uid: string }, b: { uid: string }) => (a.uid < b.uid ? -1 : 1);

/** Lists that are sets come back sorted. */
const unordered = (settings: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      ['sortableAttributes', 'stopWords'].includes(name) ? [...(value as string[])].sort() : value,
    ]),
  );
