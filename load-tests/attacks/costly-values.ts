/** Single values that cost more than their length: what they are compared with is multiplied by it. */
import type { Attack, AttackRequest } from './attack.ts';
import { token } from './parts/tenant-token.ts';

const SEARCH = '/indexes/texts/search';
/** Evaluating a filter may take 1.2 s, and a thread has others to answer. */
const MS_MAX = 10_000;
const SHORT_FRACTION = 0.02;
const CORNERS = 200_000;
const BYTES = 8_000_000;
const PATTERNS = 5_000;
const NAMES = 100_000;

/** A triangle with corners on its long sides, and one that crosses itself everywhere. */
function polygons(corners: number): string[] {
  const side = (i: number): number => (30 * i) / corners;
  const numbers = Array.from({ length: corners }, (_, i) => i);
  const smooth = numbers.map((i) => `[${side(i)}, ${side(i) ** 2 / 30}]`);
  const tangled = numbers.map((i) => `[${side(i)}, ${i % 2 === 0 ? 0 : 10 + side(i)}]`);
  return [smooth, tangled].map((shape) => `_geoPolygon(${shape.join(', ')})`);
}

/** Patterns of a token, and names of indexes that none of them matches. */
function manyNames(fraction: number) {
  const patterns = Array.from({ length: PATTERNS * fraction }, (_, i) => `x${i.toString(36)}*`);
  const names = Array.from({ length: NAMES * fraction }, (_, i) => [`i${i}`, null]);
  return { patterns, facetsByIndex: Object.fromEntries(names) as Record<string, null> };
}

export const attack: Attack = {
  name: 'costly values',
  sends: 'polygons of 200,000 corners, facet queries of 8 MB, tokens of 5,000 patterns',
  short: true,
  async run({ send, settle, masterKey, isShort }) {
    const broken: string[] = [];
    const fraction = isShort ? SHORT_FRACTION : 1;
    const filterableAttributes = ['id', 'text', '_geo'];
    const change = { path: '/indexes/texts/settings', body: { filterableAttributes } };
    await settle({ ...change, method: 'PATCH', key: masterKey });

    const attempt = async (what: string, request: AttackRequest, allowed: readonly number[]) => {
      const { status, code, ms } = await send(request);
      if (!allowed.includes(status)) broken.push(`${what} was answered ${status} ${code}`);
      if (!isShort && ms > MS_MAX)
        broken.push(`${what} took ${Math.round(ms)} ms, more than ${MS_MAX}`);
    };
    for (const filter of polygons(CORNERS * fraction))
      await attempt('a polygon', { path: SEARCH, body: { filter } }, [200, 400]);
    for (const letters of ['a', 'é', 'aя']) {
      const facetQuery = letters.repeat((BYTES * fraction) / Buffer.byteLength(letters));
      const body = { facetName: 'text', facetQuery };
      await attempt('a facet query', { path: '/indexes/texts/facet-search', body }, [200]);
    }

    const { patterns, facetsByIndex } = manyNames(fraction);
    const ofAll = { actions: ['search'], indexes: ['*'], expiresAt: null };
    const made = await send({ path: '/keys', body: ofAll, key: masterKey });
    const { uid: apiKeyUid, key: signer } = JSON.parse(made.text) as Readonly<
      Record<'uid' | 'key', string>
    >;
    const bearer = token({ apiKeyUid, searchRules: ['*', ...patterns] }, signer);
    const body = { queries: [{ indexUid: 'texts' }], federation: { facetsByIndex } };
    await attempt('many patterns', { path: '/multi-search', body, key: bearer }, [400]);
    return broken;
  },
};
