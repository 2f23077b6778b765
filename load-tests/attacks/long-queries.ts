/** Queries of a megabyte, which cost next to nothing. */
import type { Attack } from './attack.ts';
import { MEBIBYTE } from './parts/run-attack.ts';

const MS_MAX = 250;
const SHORT_BYTES = MEBIBYTE / 8;

export const attack: Attack = {
  name: 'long queries',
  sends: 'searches whose `q` is a megabyte of words, letters, quotes or characters without spaces',
  short: true,
  async run({ send, isShort }) {
    const broken: string[] = [];
    const queries = ['word ', 'x', '"', '-', '"a b" ', '日本語', 'ย', 'é ', '. '].map((text) =>
      text.repeat(Math.floor((isShort ? SHORT_BYTES : MEBIBYTE) / text.length)),
    );
    for (let round = 0; round < (isShort ? 1 : 50); round++)
      for (const q of queries) {
        const { status, ms } = await send({ path: '/indexes/texts/search', body: { q } });
        if (status !== 200) broken.push(`${q.slice(0, 10)}… was answered ${status}`);
        if (!isShort && ms > MS_MAX)
          broken.push(`${q.slice(0, 10)}… took ${Math.round(ms)} ms, more than ${MS_MAX}`);
      }
    return broken;
  },
};
