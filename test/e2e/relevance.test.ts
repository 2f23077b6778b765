/**
 * An index with relevance settings (strategy `any`, the rule `relevance`, stemming) on real
 * servers: with the official client, in hybrid search, and after a dump and a snapshot.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanUp, freshFolder, TestServer } from '../support/test-server.ts';

const RELEVANCE = {
  matchingStrategy: 'any',
  inflections: ['eng'],
  rankingRules: ['relevance', 'words', 'typo'],
  searchableAttributes: ['title', 'text'],
};
const DOCUMENTS = [
  { id: 'shop', title: 'Lamp repair', text: 'a workshop for old lights', _vectors: { own: null } },
  { id: 'sale', title: 'Lamps for sale', text: 'new lights', _vectors: { own: [0, 1] } },
  { id: 'glow', title: 'Candles', text: 'light without a plug', _vectors: { own: [1, 0] } },
  { id: 'bike', title: 'Bicycles', text: 'two wheels and a bell', _vectors: { own: null } },
];
const QUESTION = 'where could somebody have lamps repaired ';
const MEANING = { vector: [1, 0], hybrid: { embedder: 'own', semanticRatio: 0.5 } };
const SEARCHES = [
  {},
  { matchingStrategy: 'last' as const },
  { showRankingScoreDetails: true },
  { showRankingScore: true, rankingScoreThreshold: 0.2 },
  { ...MEANING, showRankingScore: true },
];

const folder = freshFolder();
let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start({ flags: ['--dump-dir', folder, '--snapshot-dir', folder] });
  const index = server.client.index('lamps');
  const embedders = { own: { source: 'userProvided' as const, dimensions: 2 } };
  await index.updateSettings({ ...RELEVANCE, embedders });
  await index.addDocuments(DOCUMENTS, { primaryKey: 'id' }).waitTask();
});
afterAll(async () => {
  await server.stop();
  await cleanUp();
});

const idsOf = async (q: string, options = {}): Promise<unknown[]> =>
  (await server.client.index('lamps').search(q, options)).hits.map(({ id }) => id);

/** All answers of a server, without what differs between two requests. */
async function answersOf({ client }: TestServer): Promise<unknown[]> {
  const answers = SEARCHES.map((options) => client.index('lamps').search(QUESTION, options));
  return (await Promise.all(answers)).map((answer) => ({
    ...answer,
    processingTimeMs: 0,
    requestUid: '',
  }));
}

describe('an index whose settings ask for relevance', () => {
  it('answers sentences of the official client, which reads its settings', async () => {
    const index = server.client.index('lamps');
    expect(await index.getSettings()).toMatchObject(RELEVANCE);
    expect(await idsOf(QUESTION)).toEqual(['shop', 'sale']);
    expect(await idsOf(QUESTION, { matchingStrategy: 'last' })).toEqual([]);
    expect(await idsOf('lights by bicycle ', { matchingStrategy: 'any' })).toContain('bike');
    const { hits } = await index.search(QUESTION, { showRankingScoreDetails: true });
    expect(hits[0]?._rankingScoreDetails).toHaveProperty('relevance');
  });

  it('uses its settings in hybrid search', async () => {
    const index = server.client.index('lamps');
    const asked = [MEANING, { ...MEANING, matchingStrategy: 'last' as const }];
    const answers = await Promise.all(asked.map((options) => index.search(QUESTION, options)));
    expect(answers).toMatchObject([{ semanticHitCount: 3 }, { semanticHitCount: 4 }]);
  });

  it('keeps settings and answers through a dump and a snapshot', async () => {
    const { client } = server;
    const { details } = await client.createDump().waitTask();
    await client.createSnapshot().waitTask();
    const before = await answersOf(server);
    const restored = await Promise.all([
      TestServer.start({ flags: ['--import-dump', join(folder, `${details?.dumpUid}.dump`)] }),
      TestServer.start({ flags: ['--import-snapshot', join(folder, 'data.snapshot')] }),
    ]);
    for (const other of restored) {
      expect(await other.client.index('lamps').getSettings()).toMatchObject(RELEVANCE);
      expect(await answersOf(other)).toEqual(before);
    }
    await Promise.all(restored.map((other) => other.stop()));
  });
});
