/** Reports over rows: sessions of typing, groups, links of events to searches, bounds. */
import { describe, expect, it } from 'vitest';
import { ReportBuilder } from '../../../src/analytics/report.ts';
import { TypingSessions } from '../../../src/analytics/typing-sessions.ts';
import type { EventRow, ReportRequest, SearchRow } from '../../../src/model/analytics.ts';

const NOON = Date.parse('2026-11-26T12:00:00Z');
const DAY_MS = 86_400_000;

const search = (query: string, more: Partial<SearchRow> = {}): SearchRow => ({
  index: 'films',
  at: NOON,
  query,
  filter: '',
  hits: 3,
  ms: 2,
  user: 'ann',
  ...more,
});
const event = (queryUid: string, more: Partial<EventRow> = {}): EventRow => ({
  index: 'films',
  at: NOON,
  type: 'click',
  name: 'Clicked',
  queryUid,
  ...more,
});

/** Texts of the searches that count, in order of text. */
function counted(rows: readonly SearchRow[], withEvents: readonly string[] = []): string[] {
  const texts: string[] = [];
  const sessions = new TypingSessions(
    ({ queryUid = '' }) => withEvents.includes(queryUid),
    (_, text) => texts.push(text),
  );
  for (const row of rows) sessions.add(row);
  sessions.finish();
  return texts.sort();
}

/** Searches `[text, second, members]`, the first at second 0. */
type Typed = readonly [text: string, second: number, more?: Partial<SearchRow>];
const typed = (...rows: Typed[]): SearchRow[] =>
  rows.map(([text, second, more]) => search(text, { at: NOON + second * 1000, ...more }));
const UNKNOWN = { user: undefined };

describe('searches of one session of typing', () => {
  it.each<[string, SearchRow[], string[]]>([
    ['growing texts count as the last', typed(['h', 0], ['ha', 1], ['har', 2]), ['har']],
    ['case and white space make no difference', typed(['H ', 0], [' hA', 1]), ['ha']],
    ['a repeated text counts once', typed(['har', 0], ['har', 1]), ['har']],
    ['a pause of more than 5 s begins a session', typed(['h', 0], ['ha', 6]), ['h', 'ha']],
    ['each key press has 5 s', typed(['h', 0], ['ha', 4], ['har', 8]), ['har']],
    ['another text counts', typed(['har', 0], ['pot', 1]), ['har', 'pot']],
    ['a shorter text counts', typed(['har', 0], ['ha', 1]), ['ha', 'har']],
    ['an empty text is no beginning', typed(['', 0], ['h', 1]), ['', 'h']],
    ['users are apart', typed(['h', 0], ['ha', 1, { user: 'bob' }]), ['h', 'ha']],
    ['indexes are apart', typed(['h', 0], ['ha', 1, { index: 'books' }]), ['h', 'ha']],
    ['filters are apart', typed(['h', 0], ['ha', 1, { filter: 'a = 1' }]), ['h', 'ha']],
    ['rows of several fronts may be late', typed(['ha', 1], ['h', 0]), ['ha']],
    [
      'two pages of a user are two sessions',
      typed(['h', 0], ['po', 1], ['ha', 2], ['pot', 3]),
      ['ha', 'pot'],
    ],
    ['unknown users: by up to 3 letters', typed(['h', 0, UNKNOWN], ['harr', 1, UNKNOWN]), ['harr']],
    ['unknown users: not by more', typed(['h', 0, UNKNOWN], ['harry', 1, UNKNOWN]), ['h', 'harry']],
    [
      'unknown users: equal texts are of two users',
      typed(['ha', 0, UNKNOWN], ['ha', 1, UNKNOWN]),
      ['ha', 'ha'],
    ],
    [
      'unknown users: two of them type the same',
      typed(['h', 0, UNKNOWN], ['h', 0, UNKNOWN], ['ha', 1, UNKNOWN], ['ha', 1, UNKNOWN]),
      ['ha', 'ha'],
    ],
  ])('%s', (_, rows, expected) => {
    expect(counted(rows)).toEqual(expected);
  });

  it('a search with an event counts, although the user types on', () => {
    const rows = typed(['h', 0, { queryUid: 'q1' }], ['ha', 1]);
    expect(counted(rows, ['q1'])).toEqual(['h', 'ha']);
  });

  it('ends sessions while it reads, so that memory is bounded', () => {
    const ended: string[] = [];
    const sessions = new TypingSessions(
      () => false,
      (_, text) => ended.push(text),
    );
    for (let i = 0; i < 10_000; i++)
      sessions.add(search(`q${i}`, { user: `u${i}`, at: NOON + i * 100 }));
    expect(ended.length).toBeGreaterThan(8000);
    sessions.finish();
    expect(new Set(ended).size).toBe(10_000);
  });
});

const REQUEST: ReportRequest = {
  from: '2026-11-25',
  to: '2026-11-26',
  by: 'query',
  kind: 'top',
  indexes: ['films', 'books'],
  offset: 0,
  limit: 100,
};

function reportOf(
  searches: readonly SearchRow[],
  events: readonly EventRow[] = [],
  request: Partial<ReportRequest> = {},
  bounds = { groups: 10, queries: 10 },
) {
  const report = new ReportBuilder({ ...REQUEST, ...request }, bounds);
  for (const row of events) report.addEvent(row);
  for (const row of searches) report.addSearch(row);
  const { results, ...rest } = report.finish();
  return { ...rest, groups: Object.fromEntries(results) };
}

describe('a report', () => {
  it('sums searches, hits and milliseconds by query', () => {
    const rows = [
      search('a', { user: 'ann' }),
      search('A ', { user: 'bob', hits: 0, ms: 4 }),
      search('b'),
    ];
    const { groups, all } = reportOf(rows);
    expect(groups['a']).toMatchObject({ searches: 2, withoutHits: 1, hits: 3, ms: 6, tracked: 0 });
    expect(Object.keys(groups)).toEqual(['a', 'b']);
    expect(all.searches).toBe(3);
  });

  it('counts a search once, however often it was clicked, and each place', () => {
    const rows = [search('a', { queryUid: 'q1' }), search('b', { queryUid: 'q2' })];
    const events = [
      event('q1', { positions: [2] }),
      event('q1', { positions: [4, 6] }),
      event('q1', { type: 'conversion', positions: [9] }),
      event('q2', { type: 'view' }),
      event('q3'),
    ];
    const { groups } = reportOf(rows, events);
    expect(groups['a']).toMatchObject({
      tracked: 1,
      clicked: 1,
      converted: 1,
      viewed: 0,
      positions: 12,
      positionCount: 3,
    });
    expect(groups['b']).toMatchObject({ tracked: 1, clicked: 0, viewed: 1 });
  });

  it.each<[ReportRequest['by'], string[]]>([
    ['day', ['2026-11-25', '2026-11-26']],
    ['index', ['books', 'films']],
    ['filter', ['', 'year > 1999']],
    ['queryAndFilter', ['["a",""]', '["b","year > 1999"]']],
  ])('groups by %s', (by, expected) => {
    const rows = [
      search('a', { at: NOON - DAY_MS }),
      search('b', { index: 'books', filter: 'year > 1999' }),
    ];
    expect(Object.keys(reportOf(rows, [], { by }).groups)).toEqual(expected);
  });

  it('has the days, indexes and filter that are requested', () => {
    const rows = [
      search('before', { at: Date.parse('2026-11-24T23:59:59.999Z') }),
      search('first', { at: Date.parse('2026-11-25T00:00:00Z') }),
      search('last', { at: Date.parse('2026-11-26T23:59:59.999Z') }),
      search('after', { at: Date.parse('2026-11-27T00:00:00Z') }),
      search('elsewhere', { index: 'books' }),
      search('filtered', { filter: 'a = 1' }),
    ];
    const request = { filter: '', indexes: ['films'] };
    expect(Object.keys(reportOf(rows, [], request).groups)).toEqual(['first', 'last']);
  });

  it.each([
    ['top', ['b', 'c', 'a']],
    ['noResults', ['c', 'a']],
    ['noClicks', ['a']],
  ] as const)('lists the queries of the kind %s, the most frequent first', (kind, expected) => {
    const users = ['ann', 'bob', 'eve'];
    const rows = [
      ...users.map((user) => search('b', { user, queryUid: `b ${user}` })),
      ...users.slice(1).map((user) => search('c', { user, hits: 0 })),
      search('a', { hits: 0, queryUid: 'a' }),
    ];
    const { groups, total } = reportOf(rows, [event('b ann')], { kind });
    expect([Object.keys(groups), total]).toEqual([expected, expected.length]);
    const page = reportOf(rows, [event('b ann')], { kind, offset: 1, limit: 1 });
    expect([Object.keys(page.groups), page.total]).toEqual([expected.slice(1, 2), expected.length]);
  });

  it('says when it holds not all groups or events', () => {
    const rows = [search('a', { queryUid: 'q1' }), search('b', { queryUid: 'q2' })];
    const bounds = { groups: 2, queries: 2 };
    const events = [event('q1'), event('q2')];
    expect(reportOf(rows, events, {}, bounds).isComplete).toBe(true);
    const fewer = reportOf(rows, events, {}, { groups: 1, queries: 2 });
    expect(fewer).toMatchObject({ isComplete: false, all: { searches: 2 } });
    expect(reportOf(rows, events, {}, { groups: 2, queries: 1 }).isComplete).toBe(false);
  });
});
