/**
 * Random requests made of the server's own OpenAPI description, half of them bent: no answer is a
 * fault of the server. The test `random-requests.test.ts` sends a small number of them.
 */
import { randomOf } from '../bench/random.ts';
import type { Attack, AttackTarget } from './attack.ts';
import { RequestMaker } from './parts/openapi-requests.ts';

const REQUESTS = 50_000;
const SEEDS = [1, 2, 3];
const LANES = 16;
/** A server that is busy, and a chat of a kind that the provider does not have. */
const DOCUMENTED = [503, 501];
const FAULTS_SHOWN_MAX = 20;
const FAULT_LENGTH_MAX = 2000;

async function prepare({ send, masterKey: key }: AttackTarget): Promise<unknown> {
  for (const uid of ['films', 'books'])
    await send({ key, path: `/indexes/${uid}/documents`, body: [{ id: 1, title: 'Carol' }] });
  const path = '/experimental-features';
  const features = JSON.parse((await send({ key, path })).text) as object;
  for (const name of Object.keys(features))
    await send({ key, method: 'PATCH', path, body: { [name]: true } });
  return JSON.parse((await send({ key, path: '/openapi.json' })).text);
}

export const attack: Attack = {
  name: 'random requests',
  sends: `${REQUESTS} random requests with each of ${SEEDS.length} seeds, half of them bent`,
  short: false,
  serverOptions: ['--experimental-rest-embedder-timeout-seconds', '1'],
  async run(target) {
    const document = await prepare(target);
    const faults: string[] = [];
    for (const seed of SEEDS) {
      const maker = new RequestMaker(document, randomOf(seed));
      let left = REQUESTS;
      const lane = async (): Promise<void> => {
        while (left-- > 0) {
          const request = maker.next();
          const { status, text } = await target.send({ ...request, key: target.masterKey });
          if (status > 0 && (status < 500 || DOCUMENTED.includes(status))) continue;
          faults.push(JSON.stringify({ ...request, status, text }).slice(0, FAULT_LENGTH_MAX));
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
    }
    const more = faults.length - FAULTS_SHOWN_MAX;
    return [...faults.slice(0, FAULTS_SHOWN_MAX), ...(more > 0 ? [`and ${more} more faults`] : [])];
  },
};
