/** Invalid keys by the hundred from the address that other clients share. */
import type { Attack } from './attack.ts';

const WRONG_KEYS_MAX = 20;
const TOO_MANY_REQUESTS = 429;
/** The server answers each wrong key beyond the limit a second later; timers may be early by some ms. */
const DELAY_MS_MIN = 900;

export const attack: Attack = {
  name: 'wrong keys',
  sends: 'hundreds of invalid keys from the address of all other clients',
  short: true,
  serverOptions: ['--wrong-keys-per-minute', String(WRONG_KEYS_MAX)],
  async run({ send, key, masterKey, isShort }) {
    const broken: string[] = [];
    const guess = (n: number) => send({ path: '/version', key: `guess ${n}` });
    const guesses = Array.from({ length: isShort ? 100 : 5000 }, (_, n) => guess(n));
    await Promise.all(guesses.slice(0, WRONG_KEYS_MAX));
    const late = await guess(-1);
    if (late.status !== TOO_MANY_REQUESTS || late.ms < DELAY_MS_MIN)
      broken.push(`a wrong key was answered ${late.status} after ${Math.round(late.ms)} ms`);
    const right = { path: '/indexes/texts/search', body: { q: 'harbour' } };
    for (const [name, value] of [
      ['API key', key],
      ['master key', masterKey],
    ] as const) {
      const { status } = await send({ ...right, key: value });
      if (status !== 200) broken.push(`the right ${name} was answered ${status}`);
    }
    const statuses = new Set((await Promise.all(guesses)).map(({ status }) => status));
    statuses.delete(403);
    statuses.delete(TOO_MANY_REQUESTS);
    for (const status of statuses) broken.push(`a wrong key was answered ${status}`);
    return broken;
  },
};
