/**
 * An index with relevance settings (strategy `any`, the rule `relevance`, stemming) on a real
 * server: with the official client, and in hybrid search.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { freshUid, type SharedServer, sharedServer } from '../support/shared-server.ts';

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
const LAMPS = freshUid('lamps');
let server: SharedServer;

beforeAll(async () => {
  server = await sharedServer();
  const index = server.client.index(LAMPS);
  const embedders = { own: { source: 'userProvided' as const, dimensions: 2 } };
  await index.updateSettings({ ...RELEVANCE, embedders });
  await index.addDocuments(DOCUMENTS, { primaryKey: 'id' }).waitTask();
});

const idsOf = async (q: string, options = {}): Promise<unknown[]> =>
  (await server.client.index(LAMPS).search(q, options)).hits.map(({ id }) => id);

describe('an index whose settings ask for relevance', () => {
  it('answers sentences of the official client, which reads its settings', async () => {
    const index = server.client.index(LAMPS);
    expect(await index.getSettings()).toMatchObject(RELEVANCE);
    expect(await idsOf(QUESTION)).toEqual(['shop', 'sale']);
    expect(await idsOf(QUESTION, { matchingStrategy: 'last' })).toEqual([]);
    expect(await idsOf('lights by bicycle ', { matchingStrategy: 'any' })).toContain('bike');
    const { hits } = await index.search(QUESTION, { showRankingScoreDetails: true });
    expect(hits[0]?._rankingScoreDetails).toHaveProperty('relevance');
  });

  it('uses its settings in hybrid search', async () => {
    const index = server.client.index(LAMPS);
    const asked = [MEANING, { ...MEANING, matchingStrategy: 'last' as const }];
    const answers = await Promise.all(asked.map((options) => index.search(QUESTION, options)));
    expect(answers).toMatchObject([{ semanticHitCount: 3 }, { semanticHitCount: 4 }]);
  });
});
