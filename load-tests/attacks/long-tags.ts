/** Highlight tags and crop markers that make answers a thousand times as large. */
import type { Attack, AttackAnswer } from './attack.ts';

const TAG_LENGTH_MAX = 1000;
const LONG = 1_000_000;
const LANES = 4;

const marks = (length: number) => ({
  attributesToHighlight: ['*'],
  attributesToCrop: ['*'],
  highlightPreTag: '<'.repeat(length),
  highlightPostTag: '>'.repeat(length),
  cropMarker: '…'.repeat(length),
});

export const attack: Attack = {
  name: 'long tags',
  sends: 'tags and markers of a million characters, and of 1,000 around all words of 1,000 hits',
  short: true,
  async run({ send, isShort }) {
    const broken = new Set<string>();
    const search = (body: object): Promise<AttackAnswer> =>
      send({ path: '/indexes/texts/search', body });
    for (const [name, mark] of Object.entries(marks(LONG)).slice(2)) {
      const { status, code } = await search({ limit: 1000, attributesToCrop: ['*'], [name]: mark });
      if (status !== 400 || !code.startsWith('invalid_search_'))
        broken.add(`${name} of ${LONG} characters was answered ${status} ${code}`);
    }
    const body = { ...marks(TAG_LENGTH_MAX), q: 'r', limit: 1000 };
    // Each alone has an answer near the limit.
    const queries = Array.from({ length: isShort ? 4 : 20 }, () => ({
      ...body,
      indexUid: 'texts',
    }));
    const lane = async (): Promise<void> => {
      for (let i = 0; i < (isShort ? 1 : 20); i++) {
        for (const [path, sent] of [
          ['/indexes/texts/search', body],
          ['/multi-search', { queries }],
        ] as const) {
          const { status, code, bytes } = await send({ path, body: sent });
          const isRefused = code === 'response_too_large' || status === 503;
          if (!isRefused && !(status === 200 && bytes <= 100 << 20))
            broken.add(`${path} was answered ${status} ${code} with ${bytes} bytes`);
        }
      }
    };
    await Promise.all(Array.from({ length: isShort ? 1 : LANES }, lane));
    return [...broken];
  },
};
