/**
 * What searches keep of words that many documents have changes no ranking. Method: the same search
 * with `attributesToSearchOn` naming all fields, for which nothing is kept; each search twice,
 * under orders of rules that let tables of records live beside each other.
 */
import { describe, expect, it } from 'vitest';
import { buildSnapshot } from '../../support/build-snapshot.ts';
import { searchDetails } from '../../support/search.ts';

const WORDS = [
  't',
  'ta',
  'tab',
  'table',
  'tablet',
  'tag',
  'tall',
  'sea',
  'seal',
  'stone',
  'a',
  'an',
  'and',
  'ant',
];
const FIELDS = ['title', 'body'];
const QUERIES = ['t', 'ta', 'tab', 'table', 's', 'stone', 'a', 'an', 'stone t', 'a ta', 'tall an'];
const DOCUMENTS = 2500;

/** Frequent words are those at the begin of the list. */
function* wordsFrom(seed: number): Generator<string> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield WORDS[Math.floor(WORDS.length * (state / 2 ** 32) ** 1.6)] as string;
  }
}

function documents(): Record<string, unknown>[] {
  const words = wordsFrom(7);
  const text = (count: number) => Array.from({ length: count }, () => words.next().value).join(' ');
  return Array.from({ length: DOCUMENTS }, (_, id) => ({
    id,
    title: text(1 + (id % 3)),
    body: text(id % 12),
  }));
}

const orders = [
  ['words', 'typo', 'proximity', 'attributeRank', 'sort', 'wordPosition', 'exactness'],
  ['words', 'exactness', 'proximity', 'attributeRank', 'wordPosition', 'typo'],
  ['attributeRank', 'exactness', 'wordPosition', 'words', 'proximity'],
  ['proximity', 'wordPosition', 'exactness', 'attributeRank'],
];

describe.each(orders.map((rankingRules) => ({ rankingRules })))(
  'ranked by $rankingRules',
  ({ rankingRules }) => {
    const source = { documents: documents(), segmentCount: 3 };
    const snapshot = buildSnapshot({
      ...source,
      settings: { rankingRules, searchableAttributes: FIELDS },
    });

    it.each(QUERIES)('%s', (q) => {
      for (const offset of [0, 700]) {
        const window = { q, offset, limit: 60 };
        const plain = searchDetails(snapshot, { ...window, attributesToSearchOn: FIELDS });
        for (let time = 0; time < 2; time++)
          expect([...searchDetails(snapshot, window)]).toEqual([...plain]);
      }
    });
  },
);
