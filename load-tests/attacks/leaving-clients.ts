/** Requests of every kind whose clients leave at any moment. */
import { madeSearch } from '../bench/keyed-texts.ts';
import type { Attack, AttackRequest } from './attack.ts';

const LANES = 16;
const REQUESTS = 20_000;
const SHORT_REQUESTS = 1500;
const LEAVES_MS_MAX = 150;
const QUERIES = 200;

const queries = (): object[] =>
  Array.from({ length: QUERIES }, () => ({
    ...(JSON.parse(madeSearch()) as object),
    indexUid: 'texts',
  }));

const KINDS: readonly (() => AttackRequest)[] = [
  () => ({ path: '/indexes/texts/search', body: madeSearch() }),
  () => ({ path: '/multi-search', body: { queries: queries() } }),
  () => ({ path: '/multi-search', body: { queries: queries(), federation: {} } }),
  () => ({ path: '/indexes/texts/documents?limit=5000' }),
  () => ({ path: '/indexes/texts/documents/fetch', body: { limit: 1000, ids: [1, 2, 3] } }),
  () => ({ path: '/indexes/texts/stats' }),
];

export const attack: Attack = {
  name: 'leaving clients',
  sends: 'searches, federated searches and reads over 16 connections; clients leave within 150 ms',
  short: true,
  actions: ['search', 'documents.get', 'stats.get'],
  async run({ send, isShort }) {
    const statuses = new Set<number>();
    let left = isShort ? SHORT_REQUESTS : REQUESTS;
    const lane = async (): Promise<void> => {
      while (left-- > 0) {
        const request = KINDS[left % KINDS.length]?.() ?? { path: '/health' };
        // Most leave early, while their request is read or waits.
        const signal = AbortSignal.timeout(1 + Math.floor(Math.random() ** 2 * LEAVES_MS_MAX));
        statuses.add((await send({ ...request, signal })).status);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    statuses.add((await send({ path: '/indexes/texts/search', body: madeSearch() })).status);
    for (const allowed of [0, 200, 503]) statuses.delete(allowed);
    return [...statuses].map((status) => `a request was answered ${status}`);
  },
};
