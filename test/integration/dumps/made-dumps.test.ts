/** Imports of made dumps: what is mapped, refused or left out, and that nothing is ever half. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { liveDocumentCount } from '../../../src/model/index-manifest.ts';
import { encodeKey } from '../../../src/storage/database/key-encoding.ts';
import { RocksDbStore } from '../../../src/storage/database/rocksdb-store.ts';
import { WebhookStore } from '../../../src/webhooks/webhook-store.ts';
import { archiveOf, importedFolder } from '../../support/imported-folder.ts';
import { inProcessWriters } from '../../support/in-process-writers.ts';
import { type Harness, openHarness, temporaryFolder } from '../../support/indexer-harness.ts';

const DATE = '2024-05-06T07:08:09.123456789Z';
const METADATA = { 'metadata.json': { dumpVersion: 'V6', dbVersion: '1.50.0', dumpDate: DATE } };

const index = (uid: string, settings: object, documents: readonly unknown[]) => ({
  [`indexes/${uid}/metadata.json`]: { uid, primaryKey: 'id', createdAt: DATE, updatedAt: DATE },
  [`indexes/${uid}/settings.json`]: settings,
  [`indexes/${uid}/documents.jsonl`]: documents,
});

const task = (uid: number, type: unknown, more: object = {}) => ({
  uid,
  indexUid: 'films',
  status: 'enqueued',
  type,
  enqueuedAt: DATE,
  ...more,
});

let harness: Harness | null = null;
afterEach(() => harness?.service.drain());

async function imported(members: object) {
  const file = await archiveOf({ ...METADATA, ...members });
  const { dbPath, logged } = await importedFolder(file);
  harness = await openHarness({ dataDir: dbPath, openWriter: inProcessWriters() });
  return { ...harness, said: logged };
}

describe('settings of a dump', () => {
  it('that have old values get their new ones', async () => {
    const { manifest } = await imported(index('films', { proximityPrecision: 'wordScale' }, []));
    expect(manifest('films')?.settings.proximityPrecision).toBe('byWord');
  });

  it('that this server cannot have are named, and the others hold', async () => {
    const settings = {
      rankingRules: ['words', 'magic'],
      chat: { description: 1 },
      somethingNew: true,
      stopWords: ['the'],
      embedders: {
        local: { source: 'huggingFace' },
        own: { source: 'userProvided', dimensions: 2 },
      },
    };
    const { manifest, said } = await imported(index('films', settings, []));
    expect(manifest('films')?.settings.stopWords).toEqual(['the']);
    const embedders = manifest('films')?.settings.embedders;
    expect(Object.keys(embedders ?? {})).toEqual(['local', 'own']);
    expect(embedders?.['local']?.pooling).toBe('forceMean');
    const about = said.filter((line) => line.startsWith('index `films`: the '));
    expect(about.map((line) => line.split('`')[3])).toEqual([
      'rankingRules',
      'chat',
      'somethingNew',
    ]);
  });
});

describe('chat workspaces of a dump', () => {
  it('are taken over with their secrets, and those that do not hold are named', async () => {
    const long = 'w'.repeat(400);
    const { service, said } = await imported({
      'chat-completions-settings/shop.json': { source: 'mistral', apiKey: 'k', somethingNew: 1 },
      'chat-completions-settings/azure.json': { source: 'azureOpenAi' },
      'chat-completions-settings/w~0.json': { uid: long, orgId: 'o' },
    });
    expect(service.parts.instanceState().chats).toMatchObject([
      { uid: 'shop', source: 'mistral', apiKey: 'k', prompts: {} },
      { uid: long, orgId: 'o' },
    ]);
    expect(said.join('\n')).toContain(
      'the chat workspace "azure" is left out: `baseUrl` is missing',
    );
  });
});

describe('an index of a dump', () => {
  it('keeps its dates', async () => {
    const createdAt = '2021-02-03T04:05:06.000007Z';
    const members = index('films', {}, [{ id: 1 }]);
    const metadata = { ...members['indexes/films/metadata.json'], createdAt };
    const { manifest } = await imported({ ...members, 'indexes/films/metadata.json': metadata });
    expect(manifest('films')).toMatchObject({
      createdAt,
      updatedAt: expect.stringContaining('2024-05-06T07:08:09.123456'),
    });
  });
});

describe('keys of a dump', () => {
  it('lose the actions that are not known here, by name', async () => {
    const uid = '0a0a0a0a-0000-4000-8000-000000000003';
    const key = {
      uid,
      name: 'shop',
      description: null,
      indexes: ['*'],
      expires_at: null,
      actions: ['search', 'films.project'],
      created_at: DATE,
      updated_at: DATE,
    };
    const { service, said } = await imported({ 'keys.jsonl': [key] });
    await service.drain();
    const store = await RocksDbStore.open(path.join(harness?.dataDir ?? '', 'rocksdb-3'));
    const stored = await store.get(encodeKey('key', uid));
    await store.close();
    expect(JSON.parse(Buffer.from(stored ?? []).toString())).toMatchObject({ actions: ['search'] });
    expect(said).toContain(`key ${uid} loses actions that are not known here: films.project`);
  });
});

describe('documents of a dump', () => {
  it('may lack the vectors that their embedder asks for', async () => {
    const embedders = { own: { source: 'userProvided', dimensions: 2 } };
    const documents = [
      { id: 1, _vectors: { own: [1, 2] } },
      { id: 2 },
      { id: 3, _vectors: { other: [1] } },
    ];
    const { manifest } = await imported(index('films', { embedders }, documents));
    const found = manifest('films');
    expect(found && liveDocumentCount(found)).toBe(3);
  });

  it('that cannot be taken end the import, with the index and the reason', async () => {
    const members = { ...METADATA, ...index('films', {}, [{ id: 1 }, { title: 'no id' }]) };
    const dbPath = path.join(temporaryFolder(), 'data.ms');
    const importing = importedFolder(await archiveOf(members), dbPath);
    await expect(importing).rejects.toThrow(/index `films`: Document 2 .* no value/);
    expect(fs.readdirSync(path.dirname(dbPath))).toEqual([]);
  });
});

describe('webhooks of a dump', () => {
  it('come with their headers, and those that cannot be are named', async () => {
    const [good, bad] = [
      '0a0a0a0a-0000-4000-8000-000000000001',
      '0a0a0a0a-0000-4000-8000-000000000002',
    ];
    const webhooks = {
      [good]: { url: 'https://example.org/hook', headers: { authorization: 'Bearer secret' } },
      [bad]: { url: 'ftp://example.org' },
    };
    const file = await archiveOf({ ...METADATA, 'webhooks.json': { webhooks } });
    const { dbPath, logged } = await importedFolder(file);
    const store = await RocksDbStore.open(path.join(dbPath, 'rocksdb-3'));
    const found = (await WebhookStore.open(store)).stored();
    await store.close();
    expect(found).toEqual([{ uuid: good, ...webhooks[good] }]);
    expect(
      logged.filter((line) => line.startsWith(`the webhook ${bad} is left out: `)),
    ).toHaveLength(1);
  });
});

describe('search rules of a dump', () => {
  it('are taken over, but for those that are none, and the waiting change of one goes on', async () => {
    const actions = [{ selector: { id: '1' }, action: { type: 'pin', position: 0 } }];
    const values = { year: [1, 2] };
    const conditions = { filter: { values, nbConstraints: 2 } };
    const rule = { uid: 'a', lastUpdatedAt: DATE, active: true, conditions, actions };
    const change = { createOrUpdate: { rule_id: 'a', update: { active: false } } };
    const gone = { deletion: 'b' };
    const members = {
      ...METADATA,
      'indexes/.meili_dsr/metadata.json': { uid: '.meili_dsr', primaryKey: 'uid' },
      'indexes/.meili_dsr/settings.json': {},
      'indexes/.meili_dsr/documents.jsonl': [rule, { ...rule, uid: 'b', actions: 1 }, { uid: 'c' }],
      'tasks/queue.jsonl': [
        task(0, { dsrUpdate: change }, { indexUid: '.meili_dsr' }),
        task(1, { dsrUpdate: { deletion: 'c' } }, { indexUid: '.meili_dsr' }),
        task(2, { dsrUpdate: change }, { ...FINISHED, details: { DsrUpdate: change } }),
        task(3, { dsrUpdate: gone }, { ...FINISHED, details: { DsrUpdate: gone } }),
      ],
    };
    const { service, wait, said } = await imported(members);
    service.start();
    const tasks = await wait([0, 1, 2, 3]);
    expect(tasks.map(({ status, details }) => [status, details])).toEqual([
      ['succeeded', { rule: { active: false }, updatedRules: 1 }],
      ['succeeded', { updatedRules: 1 }],
      ['succeeded', { rule: { active: false }, updatedRules: 1 }],
      ['succeeded', { updatedRules: 1 }],
    ]);
    expect([...service.parts.searchRules.all()]).toMatchObject([
      { uid: 'a', active: false, actions, conditions: { filter: { values } } },
    ]);
    expect(
      said.filter((line) => line.startsWith('the search rule "b" is left out: ')),
    ).toHaveLength(1);
  });
});

describe('unfinished tasks of a dump', () => {
  it('go on in their order, whatever their kind', async () => {
    const members = {
      ...index('films', {}, [{ id: 1 }, { id: 2 }, { id: 3 }]),
      'tasks/update_files/4.jsonl': [{ id: 9 }],
      'tasks/queue.jsonl': [
        task(0, 'snapshotCreation', { indexUid: null, status: 'failed', finishedAt: DATE }),
        task(1, { documentDeletion: { documents_ids: ['1'] } }),
        task(2, { settings: { settings: { stopWords: ['a'] }, is_deletion: false } }),
        task(3, { indexSwap: { swaps: [{ indexes: ['films', 'other'] }] } }, { indexUid: null }),
        task(4, {
          documentImport: { primary_key: 'id', method: 'UpdateDocuments', documents_count: 1 },
        }),
        task(5, { tasksDeletion: { query: '?uids=0', tasks: ROARING_0 } }, { indexUid: null }),
        task(6, { indexCreation: { primary_key: 'key' } }, { indexUid: 'new' }),
        task(7, { dsrUpdate: {} }, { indexUid: null }),
      ],
    };
    const { service, wait, manifest, list, said } = await imported(members);
    service.start();
    const done = await wait([1, 2, 3, 4, 5, 6, 7]);
    expect(done.map(({ uid, status }) => `${uid} ${status}`)).toEqual([
      '1 succeeded',
      '2 succeeded',
      '3 failed',
      '4 succeeded',
      '5 succeeded',
      '6 succeeded',
      '7 failed',
    ]);
    const films = manifest('films');
    expect(films && liveDocumentCount(films)).toBe(3);
    expect(films?.settings.stopWords).toEqual(['a']);
    expect(manifest('new')?.primaryKey).toBe('key');
    expect((await list()).uids).not.toContain(0);
    expect(said.at(-2)).toBe('failed, since this server cannot go on with them: dsrUpdate 7');
  });
});

const FINISHED = { indexUid: '.meili_dsr', status: 'succeeded', finishedAt: DATE };

/** The set {0}. */
const ROARING_0 = [58, 48, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0];

describe('an archive', () => {
  it.each([
    ['that is no dump', { 'readme.txt': 'hello' }, /no dump: it holds no metadata.json/],
    ['of a version to come', { 'metadata.json': { dumpVersion: 'V7' } }, /version V7; .* V1 to V6/],
    ['with an index uid that cannot be', { ...METADATA, ...index('a b', {}, []) }, /`a b`/],
    ['with a task of no kind', { ...METADATA, 'tasks/queue.jsonl': [task(1, 'dance')] }, /`dance`/],
    ['with broken JSON', { ...METADATA, 'keys.jsonl': '{"uid":' }, /a key of the dump is no JSON/],
  ])('%s is refused and leaves nothing', async (_, members, reason) => {
    const dbPath = path.join(temporaryFolder(), 'data.ms');
    await expect(importedFolder(await archiveOf(members), dbPath)).rejects.toThrow(reason);
    expect(fs.readdirSync(path.dirname(dbPath))).toEqual([]);
  });

  it('is imported after one that was cut off', async () => {
    const dbPath = path.join(temporaryFolder(), 'data.ms');
    fs.mkdirSync(path.join(`${dbPath}.import`, 'data/rocksdb-3'), { recursive: true });
    fs.writeFileSync(path.join(`${dbPath}.import`, 'data/VERSION'), '2\n');
    fs.writeFileSync(path.join(`${dbPath}.import`, 'data/rocksdb-3/CURRENT'), 'broken');
    const file = await archiveOf({ ...METADATA, ...index('films', {}, [{ id: 1 }]) });
    await importedFolder(file, dbPath);
    expect(fs.readdirSync(path.dirname(dbPath))).toEqual(['data.ms']);
  });

  it('takes the place of an empty folder, and of no other', async () => {
    const dbPath = path.join(temporaryFolder(), 'data.ms');
    fs.mkdirSync(dbPath);
    const file = await archiveOf({ ...METADATA });
    await importedFolder(file, dbPath);
    await expect(importedFolder(file, dbPath)).rejects.toThrow(/is not empty, it has/);
  });
});
