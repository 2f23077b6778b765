/** One key sends searches over many connections, as fast as they are answered. */
import { setTimeout as sleep } from 'node:timers/promises';
import { madeSearch, SEARCH_PATH } from '../bench/keyed-texts.ts';
import { LoadClient } from '../bench/load-client.ts';
import type { Attack } from './attack.ts';

const DISTINCT_SEARCHES = 5000;

export const attack: Attack = {
  name: 'flood of searches',
  sends: 'different searches over 200 connections at once for 30 seconds',
  short: false,
  async run({ port, key, isShort }) {
    const client = new LoadClient();
    const requests = Array.from({ length: DISTINCT_SEARCHES }, () => ({
      path: SEARCH_PATH,
      body: madeSearch(),
    }));
    const end = await client.flood({ port, key, requests, connections: isShort ? 50 : 200 });
    await sleep(isShort ? 1_000 : 30_000);
    await end();
    client.stop();
    return [];
  },
};
