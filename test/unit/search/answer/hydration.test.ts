/** Joins: values of hits that become documents of other indexes, and values that stay. */
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../../../src/core/deadline.ts';
import { limits } from '../../../../src/core/limits.ts';
import type { Settings } from '../../../../src/model/settings.ts';
import { writeSearchAnswer } from '../../../../src/search/answer/write-answer.ts';
import { executeSearch } from '../../../../src/search/execute-search.ts';
import { boundForeignIndex } from '../../../../src/search/filter/foreign-index.ts';
import type { IndexSnapshot } from '../../../../src/search/snapshot/index-snapshot.ts';
import type { SourceDocument } from '../../../support/build-snapshot.ts';
import { indexDocuments } from '../../../support/search.ts';
import { type Asked, searchFilter, searchRequest } from '../../../support/search-request.ts';

const PEOPLE = [
  { id: 1, name: 'Ada', team: 'x', _geo: { lat: 1, lng: 1 } },
  { id: 'bob-2', name: 'Bob', team: 'y' },
  { id: 3, name: 'Eve', boss: 1, team: 'x' },
];
const people = (settings?: Partial<Settings>): IndexSnapshot =>
  indexDocuments(PEOPLE, { filterableAttributes: ['team'], ...settings });
const ADA = { id: 1, name: 'Ada', team: 'x', _geo: { lat: 1, lng: 1 } };
const BOB = { id: 'bob-2', name: 'Bob', team: 'y' };

interface Joined {
  readonly index?: IndexSnapshot;
  readonly field?: string;
  /** Mandatory filter of the caller in the foreign index. */
  readonly binding?: string;
}

function hitOf(document: object, asked: Asked = {}, joined: Joined = {}): SourceDocument {
  const { index = people(), field = 'by', binding = null } = joined;
  const snapshot = indexDocuments([{ id: 7, ...document }], { sortableAttributes: ['_geo'] });
  const request = searchRequest(asked);
  const never = Deadline.never();
  const foreign = new Map([[field, boundForeignIndex(index, searchFilter(binding), never)]]);
  const facts = () => ({ requestUid: 'r', processingTimeMs: 0 });
  const outcome = executeSearch(snapshot, request, never, null, foreign);
  const { bytes } = writeSearchAnswer(snapshot, request, outcome, facts, { foreign });
  const { hits } = JSON.parse(new TextDecoder().decode(bytes)) as { hits: SourceDocument[] };
  return hits[0] ?? {};
}

describe('a value of a foreign key', () => {
  it.each<[string, unknown, unknown]>([
    ['a number that is an id', 1, ADA],
    ['a text that is an id', 'bob-2', BOB],
    ['a number as text', '1', ADA],
    ['an array of ids', [1, 'bob-2'], [ADA, BOB]],
    ['an array in an array', [[1], 'bob-2'], [[ADA], BOB]],
    ['an unknown id', 99, {}],
    ['an array with an unknown id', [99, 1], [{}, ADA]],
    ['a text that is no id', 'bob 2', 'bob 2'],
    ['an empty text', '', ''],
    ['a broken number', 1.5, 1.5],
    ['a truth value', true, true],
    ['nothing', null, null],
    ['an empty array', [], []],
    ['an object', { id: 1 }, { id: 1 }],
  ])('%s', (_, by, shown) => {
    expect(hitOf({ title: 'a', by, after: [1, 2] })).toEqual({
      id: 7,
      title: 'a',
      by: shown,
      after: [1, 2],
    });
  });

  it('is one level deep', () => {
    expect(hitOf({ by: 3 })['by']).toEqual({ id: 3, name: 'Eve', boss: 1, team: 'x' });
    const self = indexDocuments([{ id: 7, by: 7 }]);
    expect(hitOf({ by: 7 }, {}, { index: self })).toEqual({ id: 7, by: { id: 7, by: 7 } });
  });

  it('may be inside objects, and objects in arrays', () => {
    const document = { cast: [{ by: 1, as: 'x' }, { by: ['bob-2'] }, 3], by: 1 };
    expect(hitOf(document, {}, { field: 'cast.by' })).toEqual({
      id: 7,
      cast: [{ by: ADA, as: 'x' }, { by: [BOB] }, 3],
      by: 1,
    });
    expect(hitOf({ 'cast.by': 1 }, {}, { field: 'cast.by' })).toEqual({ id: 7, 'cast.by': ADA });
  });

  it('shows the displayed attributes of its own index', () => {
    const index = people({ displayedAttributes: ['name'] });
    expect(hitOf({ by: [1, 'bob-2'] }, {}, { index })['by']).toEqual([
      { name: 'Ada' },
      { name: 'Bob' },
    ]);
  });

  it('stays when a filter hides the document from the caller', () => {
    expect(hitOf({ by: [1, 'bob-2'] }, {}, { binding: 'team = x' })['by']).toEqual([ADA, {}]);
    expect(() => hitOf({ by: 1 }, {}, { binding: 'name = Ada' })).toThrow('not filterable');
  });

  it('is absent when the field is not retrieved', () => {
    expect(hitOf({ by: 1, title: 'a' }, { attributesToRetrieve: ['title'] })).toEqual({
      title: 'a',
    });
  });
});

describe('with other members of a hit', () => {
  it('documents come in `_formatted` as they are', () => {
    const asked = { q: 'bob', attributesToHighlight: ['*'] };
    expect(hitOf({ title: 'bob 7', by: ['bob-2', 'no id', 99] }, asked)).toEqual({
      id: 7,
      title: 'bob 7',
      by: [BOB, 'no id', {}],
      _formatted: { id: '7', title: '<em>bob</em> 7', by: [BOB, 'no id', {}] },
    });
  });

  it('positions are those of the stored values', () => {
    const hit = hitOf({ by: 'bob-2' }, { q: 'bob', showMatchesPosition: true });
    expect(hit).toEqual({ id: 7, by: BOB, _matchesPosition: { by: [{ start: 0, length: 3 }] } });
  });

  it('distances are those of the hit itself', () => {
    const sort = ['_geoPoint(0, 0):asc'];
    expect(hitOf({ by: 1 }, { sort })).not.toHaveProperty('_geoDistance');
    const hit = hitOf({ by: 1, _geo: { lat: 0, lng: 0 } }, { sort });
    expect(hit).toMatchObject({ by: ADA, _geoDistance: 0 });
  });
});

it('documents of other indexes have a limit of bytes per answer; further values stay', () => {
  const text = 'x'.repeat(1 << 20);
  const index = indexDocuments([{ id: 1, text }], { searchableAttributes: ['id'] });
  const by = Array.from({ length: 20 }, () => 1);
  const shown = hitOf({ by }, {}, { index })['by'] as unknown[];
  const whole = limits.foreignBytesPerAnswerMax / (1 << 20) - 1;
  expect(shown.map((value) => typeof value)).toEqual([
    ...Array.from({ length: whole }, () => 'object'),
    ...Array.from({ length: 20 - whole }, () => 'number'),
  ]);
});
