/** Dumps of the versions V1 to V4, in the layout that Meilisearch 1.50 reads. */
import { afterEach, describe, expect, it } from 'vitest';
import { liveDocumentCount } from '../../../src/model/index-manifest.ts';
import { archiveOf, importedFolder } from '../../support/imported-folder.ts';
import { inProcessWriters } from '../../support/in-process-writers.ts';
import { type Harness, openHarness } from '../../support/indexer-harness.ts';

const DATE = '2021-09-08T07:06:05.123456Z';
const UUID = '01d7dd17-8241-4f1f-a7d1-2d1cb255f5b0';
const PAYLOAD = '0734b6b5-d8ea-4a2c-8a3b-5f7a4f2b9a11';
const FILMS = [
  { id: 1, title: 'Alien', year: 1979 },
  { id: 2, title: 'Heat', year: 1995 },
];
const RULES = ['typo', 'words', 'proximity', 'attribute', 'exactness'];
const SETTINGS = {
  searchableAttributes: ['title'],
  filterableAttributes: ['year'],
  rankingRules: [...RULES, 'asc(year)'],
  stopWords: ['the'],
  distinctAttribute: null,
};

let harness: Harness | null = null;
afterEach(() => harness?.service.drain());

async function imported(members: object) {
  const { dbPath, logged } = await importedFolder(await archiveOf({ ...members }));
  harness = await openHarness({ dataDir: dbPath, openWriter: inProcessWriters() });
  return { ...harness, said: logged };
}

describe('a dump of V1', () => {
  const members = {
    'metadata.json': {
      dumpVersion: 'V1',
      dbVersion: '0.20.0',
      dumpDate: DATE,
      indexes: [{ name: 'F', uid: 'films', primaryKey: 'id', createdAt: DATE, updatedAt: DATE }],
    },
    'films/settings.json': {
      rankingRules: ['words', 'wordsPosition', 'asc(year)', 'desc(title)'],
      attributesForFaceting: ['year'],
    },
    'films/documents.jsonl': FILMS,
    'films/updates.jsonl': [
      { status: 'processed', updateId: 0 },
      { status: 'enqueued', updateId: 1 },
    ],
  };

  it('brings its indexes, with settings under their present names', async () => {
    const { manifest, said } = await imported(members);
    const films = manifest('films');
    expect(films).toMatchObject({
      primaryKey: 'id',
      createdAt: '2021-09-08T07:06:05.123456Z',
      settings: {
        rankingRules: ['words', 'year:asc', 'title:desc'],
        filterableAttributes: ['year'],
        sortableAttributes: ['year'],
      },
    });
    expect(films && liveDocumentCount(films)).toBe(2);
    expect(said.join('\n')).toContain('the ranking rule `wordsPosition` is left out');
    expect(said).toContain('2 updates of the V1 dump are left out, 1 of them unfinished');
  });

  it('that lacks an index which it names is refused', async () => {
    const { 'films/settings.json': _, ...others } = members;
    await expect(imported(others)).rejects.toThrow(/names an index that it does not hold/);
  });
});

describe.each([
  ['V2', `indexes/index-${UUID}`, 'primaryKey'],
  ['V3', `indexes/${UUID}`, 'primary_key'],
])('a dump of %s', (version, folder, primaryKey) => {
  const members = {
    'metadata.json': { dumpVersion: version, dbVersion: '0.2x', dumpDate: DATE },
    'index_uuids/data.jsonl': [{ uid: 'films', uuid: UUID }],
    [`${folder}/meta.json`]: { settings: SETTINGS, [primaryKey]: 'id' },
    [`${folder}/documents.jsonl`]: FILMS,
    'updates/data.jsonl': [{ uuid: UUID, update: { status: 'processing', updateId: 0 } }],
  };

  it('brings its indexes with settings and documents', async () => {
    const { manifest, said } = await imported(members);
    const films = manifest('films');
    expect(films).toMatchObject({
      primaryKey: 'id',
      settings: { filterableAttributes: ['year'], rankingRules: [...RULES, 'year:asc'] },
    });
    expect(films && liveDocumentCount(films)).toBe(2);
    expect(said).toContain(`1 updates of the ${version} dump are left out, 1 of them unfinished`);
  });

  it('that lacks an index which it names is refused', async () => {
    const { [`${folder}/meta.json`]: _, ...others } = members;
    await expect(imported(others)).rejects.toThrow(/names an index that it does not hold/);
  });
});

describe('a dump of V4', () => {
  const addition = (more: object) => ({
    DocumentAddition: {
      content_uuid: PAYLOAD,
      merge_strategy: 'UpdateDocuments',
      primary_key: null,
      documents_count: 1,
      allow_index_creation: true,
      ...more,
    },
  });
  const task = (id: number, content: object, events: readonly object[]) => ({
    id,
    index_uid: 'films',
    content,
    events: [{ Created: DATE }, ...events],
  });
  const ended = (result: unknown) => [
    { Processing: DATE },
    { Succeded: { result, timestamp: DATE } },
  ];
  const members = {
    'metadata.json': { dumpVersion: 'V4', dbVersion: '0.26.0', dumpDate: DATE },
    'index_uuids/data.jsonl': [{ uid: 'films', index_meta: { uuid: UUID, creation_task_id: 0 } }],
    [`indexes/${UUID}/meta.json`]: { settings: SETTINGS, primary_key: 'id' },
    [`indexes/${UUID}/documents.jsonl`]: FILMS,
    keys: [
      {
        description: 'films of the shop',
        id: [1, 2, 3, 4, 5, 6, 7, 8],
        actions: ['documents.add', 'dumps.get'],
        indexes: ['films'],
        expires_at: null,
        created_at: DATE,
        updated_at: DATE,
      },
    ],
    'updates/data.jsonl': [
      task(0, addition({}), ended({ DocumentAddition: { indexed_documents: 1 } })),
      task(1, { DocumentDeletion: { Ids: ['7', '8'] } }, [
        ...ended({ DocumentDeletion: { deleted_documents: 1 } }),
      ]),
      task(2, { DocumentDeletion: 'Clear' }, ended({ DocumentDeletion: { deleted_documents: 9 } })),
      task(3, addition({}), []),
    ],
    [`updates/updates_files/${PAYLOAD}`]: [{ id: 3, title: 'Ran' }],
  };

  it('brings its tasks, and the unfinished ones go on', async () => {
    const { service, wait, manifest } = await imported(members);
    const { results } = await service.handlers.listTasks({ limit: 9, from: null, reverse: true });
    expect(results).toMatchObject([
      { uid: 0, status: 'succeeded', details: { receivedDocuments: 1, indexedDocuments: 1 } },
      { uid: 1, status: 'succeeded', details: { providedIds: 2, deletedDocuments: 1 } },
      { uid: 2, status: 'succeeded', details: { deletedDocuments: 9 } },
      { uid: 3, status: 'enqueued', indexUid: 'films', type: 'documentAdditionOrUpdate' },
    ]);
    service.start();
    expect(await wait([3])).toMatchObject([{ status: 'succeeded' }]);
    const films = manifest('films');
    expect(films && liveDocumentCount(films)).toBe(3);
  });

  it('brings its keys under new uids', async () => {
    const { service, said } = await imported(members);
    const [key] = [...service.parts.keys.all()];
    expect(key).toMatchObject({ actions: ['documents.add'], indexes: ['films'], name: null });
    expect(key?.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(said.join('\n')).toContain('loses actions that are not known here: dumps.get');
  });
});
