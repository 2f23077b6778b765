/** Which search rules act on a search, what they pin in which order, and what they hide. */
import { describe, expect, it } from 'vitest';
import { limits } from '../../../src/core/limits.ts';
import { parseFilter } from '../../../src/model/filter/parse-filter.ts';
import { effectsOf, prepareRules, rulesOfIndex } from '../../../src/model/rule-pins.ts';
import type { SearchRule } from '../../../src/model/search-rule.ts';

const NOW = Date.parse('2030-06-15T12:00:00Z');

const pin = (id: string, position = 0, indexUid?: string): SearchRule['actions'][number] => ({
  selector: { ...(indexUid !== undefined && { indexUid }), id },
  action: { type: 'pin', position },
});

const hide = (id: string, indexUid?: string): SearchRule['actions'][number] => ({
  selector: { ...(indexUid !== undefined && { indexUid }), id },
  action: { type: 'hide' },
});

const rule = (uid: string, members: Partial<SearchRule> = {}): SearchRule => ({
  uid,
  lastUpdatedAt: null,
  active: true,
  conditions: {},
  actions: [pin(uid)],
  ...members,
});

interface Asked {
  readonly q?: string | null;
  readonly filter?: string | (string | string[])[];
  readonly nowMs?: number;
}

const FEATURES = { containsFilter: true, foreignKeys: false, multimodal: false };

const effects = (rules: readonly SearchRule[], { q = null, filter, nowMs = NOW }: Asked = {}) =>
  effectsOf(rulesOfIndex(prepareRules(rules), ['films', 'films-live']), {
    q,
    nowMs,
    filter: () => parseFilter(filter ?? null, 'invalid_search_filter', FEATURES),
  });

const pinned = (rules: readonly SearchRule[], asked: Asked = {}) =>
  (effects(rules, asked).pins ?? []).map(({ id, position }) => `${id}@${position}`);

const acts = (conditions: SearchRule['conditions'], asked: Asked = {}): boolean =>
  pinned([rule('a', { conditions })], asked).length === 1;

describe('time', () => {
  it.each([
    [{}, true],
    [{ start: '2030-06-15T12:00:00Z' }, true],
    [{ start: '2030-06-15T12:00:00.001Z' }, false],
    [{ end: '2030-06-15T14:00:00+02:00' }, true],
    [{ end: '2030-06-15T11:59:59Z' }, false],
    [{ start: '2030-06-01T00:00:00Z', end: '2030-07-01T00:00:00Z' }, true],
  ])('%j at noon of 2030-06-15: %s', (time, expected) => {
    expect(acts({ time })).toBe(expected);
  });
});

describe('the query', () => {
  it.each([
    [{ isEmpty: true }, null, true],
    [{ isEmpty: true }, '  ', true],
    [{ isEmpty: true }, 'a', false],
    [{ isEmpty: false }, 'a', true],
    [{ isEmpty: false }, '', false],
    [{ words: 'red shoes' }, 'new shoes, Red!', true],
    [{ words: 'Café' }, 'cafe au lait', true],
    [{ words: 'red shoes' }, 'red shoe', false],
    [{ words: 'red shoes' }, 'shoes -red', false],
    [{ words: 'red shoes' }, 'shoes -"dark red"', false],
    [{ words: 'red' }, null, false],
    [{ words: 'ten' }, 'a b c d e f g h i ten', true],
    [{ words: 'ten' }, 'a b c d e f g h i j ten', false],
    [{ words: '東京' }, '東京の寿司', true],
  ])('%j for %j: %s', (query, q, expected) => {
    expect(acts({ query }, { q })).toBe(expected);
  });
});

describe('the filter', () => {
  it.each([
    [{ genre: 'Drama' }, 'genre = drama', true],
    [{ genre: 'drama' }, 'genre = drama AND year > 1990', true],
    [{ genre: 'drama' }, 'genre IN [war, drama]', true],
    [{ genre: ['drama', 'war'] }, 'genre = war OR genre = drama', true],
    [{ genre: ['drama', 'war'] }, [['genre = war', 'genre = drama'], 'year = 1990'], true],
    [{ genre: ['drama', 'war'] }, 'genre = drama', false],
    [{ genre: 'drama', year: 1990 }, 'year = 1990.0 AND genre = drama', true],
    [{ genre: 'drama', year: 1990 }, 'genre = drama', false],
    [{ genre: 'drama' }, 'genre = drama OR year = 1990', false],
    [{ genre: 'drama' }, 'genre = war OR (genre = drama AND year = 1990)', false],
    [{ genre: 'drama' }, 'genre != drama', false],
    [{ genre: 'drama' }, 'NOT genre = drama', false],
    [{ genre: 'drama' }, undefined, false],
    [{ sold: true }, 'sold = true', true],
  ])('%j in %j: %s', (values, filter, expected) => {
    expect(acts({ filter: { values } }, filter === undefined ? {} : { filter })).toBe(expected);
  });
});

describe('pins', () => {
  it('come by precedence, a rule without one last, then by uid', () => {
    const rules = [
      rule('d'),
      rule('c', { precedence: 5 }),
      rule('b', { precedence: 5 }),
      rule('a', { precedence: 7 }),
    ];
    expect(pinned(rules)).toEqual(['b@0', 'c@0', 'a@0', 'd@0']);
  });

  it('name a document once, at the position of the winning rule', () => {
    const rules = [
      rule('a', { precedence: 2, actions: [pin('x', 4), pin('y', 1)] }),
      rule('b', { precedence: 1, actions: [pin('x', 9), pin('x', 3)] }),
    ];
    expect(pinned(rules)).toEqual(['x@9', 'y@1']);
  });

  it('are those of the names of the index and those of no index in particular', () => {
    const actions = [pin('x', 0, 'films'), pin('y', 1, 'books'), pin('z', 2)];
    expect(pinned([rule('a', { actions })])).toEqual(['x@0', 'z@2']);
    const more = [pin('v', 3, 'films-live'), pin('w', 4, 'films-next')];
    expect(pinned([rule('a', { actions }), rule('b', { actions: more })])).toEqual([
      'x@0',
      'z@2',
      'v@3',
    ]);
  });

  it('are none of rules that are not active', () => {
    expect(pinned([rule('a', { active: false })])).toEqual([]);
  });

  it('end at the limit of a search', () => {
    const actions = Array.from({ length: 80 }, (_, i) => pin(`a${i}`, i));
    const more = Array.from({ length: 80 }, (_, i) => pin(`b${i}`, i));
    const all = pinned([rule('a', { actions }), rule('b', { actions: more })]);
    expect(all).toHaveLength(limits.ruleActionsMax);
    expect(all.at(-1)).toBe('b19@19');
  });
});

describe('hidden documents', () => {
  it('are those of the index and those of no index in particular, by rules that act', () => {
    const actions = [hide('x', 'films'), hide('y', 'books'), hide('z')];
    expect(effects([rule('a', { actions })])).toEqual({ pins: null, hidden: ['x', 'z'] });
    const conditions = { query: { words: 'red' } };
    expect(effects([rule('a', { actions, conditions })]).hidden).toBeNull();
  });

  it('and pinned ones exclude each other: the first rule that names a document decides', () => {
    const hiding = rule('a', { precedence: 1, actions: [hide('x')] });
    const pinning = rule('b', { precedence: 2, actions: [pin('x', 3), pin('y', 1)] });
    expect(effects([pinning, hiding])).toMatchObject({ pins: [{ id: 'y' }], hidden: ['x'] });
    const first = { ...pinning, precedence: 0 };
    expect(effects([first, hiding])).toMatchObject({
      pins: [{ id: 'x' }, { id: 'y' }],
      hidden: null,
    });
  });

  it('count among the documents of a search, which are limited', () => {
    const actions = Array.from({ length: 80 }, (_, i) => hide(`a${i}`));
    const more = Array.from({ length: 80 }, (_, i) => pin(`b${i}`, i));
    const all = effects([rule('a', { actions }), rule('b', { actions: more })]);
    expect([all.hidden?.length, all.pins?.length]).toEqual([80, limits.ruleActionsMax - 80]);
  });
});
