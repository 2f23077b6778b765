/** Long rows of digits, blanks and commas, which patterns of numbers and criteria could try to split in every place. */
import type { Attack, AttackRequest } from './attack.ts';
import { MEBIBYTE } from './parts/run-attack.ts';

const SEARCH = '/indexes/texts/search';
const DOCUMENTS = '/indexes/texts/documents';
/** Below the limit of a request head. */
const HEAD_CHARACTERS = 60_000;
const ANSWER_MS_MAX = 2000;
const PATIENCE_MS = 60_000;

export const attack: Attack = {
  name: 'slow patterns',
  sends: 'millions of digits, blanks and commas where numbers and sort criteria are expected',
  short: true,
  actions: ['search', 'documents.add', 'documents.get'],
  async run({ send, settle, masterKey, isShort }) {
    const broken: string[] = [];
    const settings = { filterableAttributes: ['id', '_geo'], sortableAttributes: ['id', '_geo'] };
    await settle({
      ...{ method: 'PATCH', path: '/indexes/texts/settings', key: masterKey },
      body: settings,
    });
    const long = (character: string) => character.repeat((isShort ? 1 : 4) * MEBIBYTE);
    const digits = `${long('1')}x`;
    const ofHead = (text: string) => text.repeat(HEAD_CHARACTERS / text.length);
    const geo = { id: 'geo', _geo: { lat: digits, lng: digits } };
    const requests: readonly (readonly [AttackRequest, number])[] = [
      [{ path: `${SEARCH}?sort=${ofHead(',')}` }, 400],
      [{ path: `${SEARCH}?sort=${ofHead('(,')}` }, 400],
      [{ path: `${SEARCH}?rankingScoreThreshold=${ofHead('1')}x` }, 400],
      [{ path: `${SEARCH}?vector=${ofHead('1')}x` }, 400],
      [{ path: SEARCH, body: { sort: [`_geoPoint(${digits},1):asc`] } }, 400],
      [{ path: SEARCH, body: { sort: [`_geoPoint(${long(' ')}:asc`] } }, 400],
      [{ path: SEARCH, body: { filter: `id > ${digits}` } }, 200],
      [{ path: SEARCH, body: { filter: `_geoRadius(${digits}, 1, 2)` } }, 400],
      [{ path: SEARCH, body: { filter: `id = ${digits}` } }, 200],
      [{ path: SEARCH, body: { q: '-" '.repeat(500_000) } }, 200],
      [{ path: `${DOCUMENTS}/fetch`, body: { sort: [`_geoPoint(${digits},1):asc`] } }, 400],
      [
        {
          path: DOCUMENTS,
          body: `id,n:number\na,${digits}`,
          headers: { 'content-type': 'text/csv' },
        },
        400,
      ],
      [{ path: DOCUMENTS, body: [geo] }, 202],
    ];
    for (let round = 0; round < (isShort ? 1 : 5); round++)
      for (const [request, expected] of requests) {
        const signal = AbortSignal.timeout(PATIENCE_MS);
        const { status, code, ms } = await send({ ...request, signal });
        const shown = `${request.path.slice(0, 60)} ${JSON.stringify(request.body)?.slice(0, 60)}`;
        if (status !== expected) broken.push(`${shown} was answered ${status} ${code}`);
        if (!isShort && ms > ANSWER_MS_MAX) broken.push(`${shown} took ${Math.round(ms)} ms`);
      }
    await settle({ method: 'DELETE', path: `${DOCUMENTS}/geo`, key: masterKey });
    return broken;
  },
};
