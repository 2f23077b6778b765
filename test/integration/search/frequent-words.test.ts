/**
 * The query cache and the digests of segments change no ranking of frequent words. Method: the same
 * search with `attributesToSearchOn` naming all fields, for which nothing is cached; each search
 * twice, under rule orders that need several tables of records at once; in segments without digests
 * (small ones), with all digests, and with some.
 */
import { describe, expect, it } from 'vitest';
import { SEGMENT_LIMITS } from '../../../src/engine/segment/segment-writer.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/settings.ts';
import {
  buildPlacedSnapshot,
  buildSnapshot,
  type PlacedDocument,
} from '../../support/build-snapshot.ts';
import { amount } from '../../support/run-length.ts';
import { search, searchDetails } from '../../support/search.ts';
import { DIGEST_ALL } from '../../support/segment-file.ts';

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

/** The first words of the list are the frequent ones. */
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

/** Every seventh document has a deleted copy with other words in the previous segment. */
function placed(): PlacedDocument[][] {
  const all = documents();
  const segments: PlacedDocument[][] = [[], [], []];
  all.forEach((document, docId) => {
    const home = Math.floor((docId * segments.length) / all.length);
    if (docId % 7 === 0 && home > 0) {
      const past = { ...all[(docId * 31) % all.length], id: document['id'] };
      segments[home - 1]!.push({ docId, document: past, isDead: true });
    }
    segments[home]!.push({ docId, document, isDead: false });
  });
  return segments;
}

const DIGESTS = {
  none: SEGMENT_LIMITS,
  some: { ...DIGEST_ALL, occurrencesMin: 900 },
  all: DIGEST_ALL,
};
type Digests = keyof typeof DIGESTS;
const EACH_DIGESTS = Object.keys(DIGESTS) as Digests[];

describe.each(orders.slice(0, amount(1, orders.length)).map((rankingRules) => ({ rankingRules })))(
  'ranked by $rankingRules',
  ({ rankingRules }) => {
    const settings = { rankingRules, searchableAttributes: FIELDS };
    const whole = buildSnapshot({ documents: documents(), settings, digests: DIGESTS.none });
    const dealt = EACH_DIGESTS.map((name) =>
      buildPlacedSnapshot({ segments: placed(), settings, digests: DIGESTS[name] }),
    );

    it.each(QUERIES)('%s', (q) => {
      for (const offset of [0, 700]) {
        const window = { q, offset, limit: 60 };
        const plain = searchDetails(whole, { ...window, attributesToSearchOn: FIELDS });
        for (const snapshot of dealt) {
          for (let time = 0; time < 2; time++)
            expect([...searchDetails(snapshot, window)]).toEqual([...plain]);
        }
      }
    });

    it.each([{ attributesToSearchOn: ['title'] }, { attributesToSearchOn: ['body'] }])(
      'within %o',
      (bounds) => {
        for (const q of QUERIES) {
          const plain = searchDetails(whole, { q, ...bounds });
          for (const snapshot of dealt)
            expect([...searchDetails(snapshot, { q, ...bounds })]).toEqual([...plain]);
        }
      },
    );
  },
);

it.each([
  {
    settings: {
      typoTolerance: { ...DEFAULT_SETTINGS.typoTolerance, disableOnAttributes: ['title'] },
    },
  },
  { settings: { searchableAttributes: ['body', 'title'] } },
  { settings: { stopWords: ['a'], filterableAttributes: ['id'] }, filter: 'id < 900' },
])('the same with %o', ({ settings, filter }) => {
  const whole = buildSnapshot({ documents: documents(), settings, digests: DIGESTS.none });
  const dealt = buildPlacedSnapshot({ segments: placed(), settings, digests: DIGESTS.all });
  for (const q of QUERIES) {
    const asked = { q, limit: 100, ...(filter ? { filter } : {}) };
    expect(search(dealt, asked)).toEqual(search(whole, asked));
  }
});

it('reads no postings of a word when segments have its digest', () => {
  const snapshot = buildSnapshot({ documents: documents(), digests: DIGESTS.all });
  const [segment] = snapshot.segments;
  const read: string[] = [];
  segment!.postings.readOccurrences = (term) => {
    read.push(segment!.terms.text(term));
  };
  const { hits } = search(snapshot, { q: 't', showRankingScoreDetails: true });
  expect(hits).toHaveLength(20);
  expect(read).toEqual([]);
});

describe('words close to each other', () => {
  const settings = { rankingRules: ['words', 'proximity'], filterableAttributes: ['id'] };

  it('are ranked as before when a filter excludes some documents', () => {
    const filtered = { q: 'stone t', filter: 'id > 700 AND id < 1900', limit: 100 };
    const expected = searchDetails(buildSnapshot({ documents: documents(), settings }), filtered);
    const snapshot = buildSnapshot({ documents: documents(), settings });
    searchDetails(snapshot, { q: 'stone t' });
    expect(searchDetails(snapshot, filtered)).toEqual(expected);
  });
});
