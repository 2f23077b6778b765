/** Lists of 100,000 attributes, and the longest ones that are allowed. */
import type { Attack } from './attack.ts';

const MANY = 100_000;
const NAMES_MAX = 10_000;
const PATTERNS_MAX = 100;
const LISTS = [
  ...['attributesToRetrieve', 'attributesToHighlight', 'attributesToCrop'],
  ...['attributesToSearchOn', 'facets', 'sort'],
];

const namesOf = (list: string, count: number, end = ''): string[] =>
  Array.from({ length: count }, (_, i) => `text.${i}${list === 'sort' ? ':asc' : end}`);

export const attack: Attack = {
  name: 'many names',
  sends: 'lists of 100,000 attributes, of 10,000, and of 100 patterns, in each list of a search',
  short: true,
  async run({ send, isShort }) {
    const broken = new Set<string>();
    const search = (body: object) => send({ path: '/indexes/texts/search', body });
    for (let i = 0; i < (isShort ? 1 : 20); i++) {
      for (const list of LISTS) {
        const { status } = await search({ [list]: namesOf(list, MANY) });
        if (status !== 400) broken.add(`${MANY} names in ${list} were answered ${status}`);
        for (const names of [namesOf(list, NAMES_MAX), namesOf(list, PATTERNS_MAX, '*')]) {
          const answer = await search({ q: 'a', limit: 1000, [list]: names });
          if (![200, 400].includes(answer.status))
            broken.add(`${names.length} names in ${list} were answered ${answer.status}`);
          if (!isShort && answer.ms > 2000)
            broken.add(`${names.length} names in ${list} took ${Math.round(answer.ms)} ms`);
        }
      }
      const geo = Array.from({ length: NAMES_MAX }, (_, at) => `_geoPoint(${at / 1000}, 1):asc`);
      const answer = await search({ limit: 1000, sort: geo });
      if (![200, 400].includes(answer.status))
        broken.add(`${NAMES_MAX} points in sort were answered ${answer.status}`);
    }
    return [...broken];
  },
};
