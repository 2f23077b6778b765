/** Multi-searches of very many queries whose clients leave soon. */
import { setTimeout as sleep } from 'node:timers/promises';
import { madeSearch } from '../bench/keyed-texts.ts';
import type { Attack } from './attack.ts';

const QUERIES_MAX = 1000;
const LEAVES_MS = 2000;
/** Long enough for searches to run and to wait. */
const SHORT_LEAVES_MS = 500;
const ENDS_MS_MAX = 2000;

const queriesOf = (count: number): object[] =>
  Array.from({ length: count }, () => ({
    ...(JSON.parse(String(madeSearch())) as object),
    indexUid: 'texts',
  }));

export const attack: Attack = {
  name: 'many queries',
  sends:
    'federated and plain multi-searches of 1,000 and 10,000 queries, four at once; clients leave',
  short: true,
  async run({ send, masterKey, isShort }) {
    const broken = new Set<string>();
    for (const federation of [undefined, {}]) {
      const body = { queries: queriesOf(10 * QUERIES_MAX), federation };
      const { status } = await send({ path: '/multi-search', body });
      if (status !== 400) broken.add(`10,000 queries were answered ${status}`);
    }
    const lane = async (): Promise<void> => {
      for (let i = 0; i < (isShort ? 1 : 5); i++) {
        for (const federation of [undefined, { limit: 1000 }]) {
          const body = { queries: queriesOf(QUERIES_MAX), federation };
          const signal = AbortSignal.timeout(isShort ? SHORT_LEAVES_MS : LEAVES_MS);
          const { status, code } = await send({ path: '/multi-search', body, signal });
          if (![0, 200, 503].includes(status) && code !== 'response_too_large')
            broken.add(`1,000 queries were answered ${status} ${code}`);
        }
      }
    };
    await Promise.all([lane(), lane(), lane(), lane()]);
    const leftMs = performance.now();
    for (;;) {
      const { text } = await send({ path: '/metrics', key: masterKey });
      const waiting = /^meilisearch_searches_waiting_to_be_processed (\d+)/m.exec(text);
      if (waiting?.[1] === '0') break;
      if (!isShort && performance.now() - leftMs > ENDS_MS_MAX) {
        broken.add(`searches still wait ${ENDS_MS_MAX} ms after all clients have left`);
        break;
      }
      await sleep(50);
    }
    return [...broken];
  },
};
