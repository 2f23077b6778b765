/** Tenant tokens whose rules are misspelt, empty, or signed by another key. */
import type { Attack } from './attack.ts';
import { encoded, token } from './parts/tenant-token.ts';

const PATH = '/indexes/texts/search';
const FORBIDDEN = 403;
const FILTER = 'id = 1';

/** Each would open the whole index if it were read loosely. */
const REFUSED_RULES: readonly object[] = [
  { texts: { fitler: FILTER } },
  { texts: { filter: FILTER, filters: 'id = 2' } },
  { texts: { filter: '' } },
  { texts: { filter: '  ' } },
  { texts: { filter: [] } },
  { texts: { filter: [FILTER, ''] } },
  { texts: { filter: [[]] } },
  { texts: {}, '': { filter: FILTER } },
  { 'te xts': { filter: FILTER } },
];

export const attack: Attack = {
  name: 'tenant rules',
  sends: 'tenant tokens with misspelt members, empty filters, foreign signatures and no algorithm',
  short: true,
  async run({ send, settle, key, masterKey }) {
    const broken: string[] = [];
    const change = { filterableAttributes: ['id'] };
    const settings = '/indexes/texts/settings';
    await settle({ method: 'PATCH', path: settings, body: change, key: masterKey });
    const known = await send({ path: `/keys/${key}`, key: masterKey });
    const { uid: apiKeyUid } = JSON.parse(known.text) as { readonly uid: string };
    const search = (bearer: string) =>
      send({ path: PATH, body: { filter: 'id > 0' }, key: bearer });
    for (const searchRules of REFUSED_RULES) {
      const { status } = await search(token({ apiKeyUid, searchRules }, key));
      if (status !== FORBIDDEN)
        broken.push(`rules ${JSON.stringify(searchRules)} were answered ${status}`);
    }
    const searchRules = { texts: { filter: FILTER } };
    const forged = [
      token({ apiKeyUid, searchRules: ['*'] }, 'another key'),
      token({ apiKeyUid, searchRules: ['*'] }, key, 'none'),
      token({ apiKeyUid, searchRules: ['*'], exp: 1 }, key),
      `${encoded({ alg: 'none' })}.${encoded({ apiKeyUid, searchRules: ['*'] })}.`,
    ];
    for (const [at, bearer] of forged.entries()) {
      const { status } = await search(bearer);
      if (status !== FORBIDDEN) broken.push(`forged token ${at} was answered ${status}`);
    }
    const { status, text } = await search(token({ apiKeyUid, searchRules }, key));
    const { hits = [] } = JSON.parse(text) as { readonly hits?: readonly { id: number }[] };
    if (status !== 200 || hits.length !== 1 || hits[0]?.id !== 1)
      broken.push(`a token for one document was answered ${status} with ${hits.length} hits`);
    return broken;
  },
};
