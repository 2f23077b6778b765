/** Metrics of `gannet judge`, and its files, which `gannet compare` reads too. */
import { describe, expect, it } from 'vitest';
import { changesOf, parseJudgments, parseQueries } from '../../../src/cli/judgments.ts';
import { judge, mean } from '../../../src/model/judgment.ts';

describe('a verdict', () => {
  const judgment = { q: 'x', wanted: { a: 2, b: 1, c: 0 } };

  it('is 1 for the best order, and less for any other', () => {
    expect(judge(judgment, ['a', 'b', 'z'], 10)).toEqual({ q: 'x', ndcg: 1, recall: 1 });
    // (1 + 3 / log2 3) / (3 + 1 / log2 3)
    expect(judge(judgment, ['b', 'a'], 10).ndcg).toBeCloseTo(2.8928 / 3.6309, 4);
    expect(judge(judgment, ['c', 'z'], 10)).toEqual({ q: 'x', ndcg: 0, recall: 0 });
  });

  it('counts only the first k hits', () => {
    expect(judge(judgment, ['z', 'a', 'b'], 1)).toEqual({ q: 'x', ndcg: 0, recall: 0 });
    expect(judge(judgment, ['a', 'b'], 1)).toEqual({ q: 'x', ndcg: 1, recall: 0.5 });
  });

  it('is perfect when no document is relevant', () => {
    expect(judge({ q: 'x', wanted: {} }, ['a'], 10)).toEqual({ q: 'x', ndcg: 1, recall: 1 });
  });
});

describe('changes', () => {
  it('list the queries that differ, greatest losses first', () => {
    const now = [
      { q: 'a', ndcg: 1, recall: 1 },
      { q: 'b', ndcg: 0.2, recall: 1 },
      { q: 'c', ndcg: 0.5, recall: 1 },
      { q: 'new', ndcg: 0.1, recall: 1 },
    ];
    const before = [
      { q: 'a', ndcg: 0.5, recall: 1 },
      { q: 'b', ndcg: 0.9, recall: 1 },
      { q: 'c', ndcg: 0.5, recall: 0 },
    ];
    expect(changesOf(now, before).map(({ q }) => q)).toEqual(['b', 'a']);
    expect(mean([])).toBe(0);
  });
});

describe('a file of judgments', () => {
  it('holds ids or grades', () => {
    expect(parseJudgments('{"q":"a","wanted":["1",2]}\n\n{"q":"b","wanted":{"3":2}}\n')).toEqual([
      { q: 'a', wanted: { 1: 1, 2: 1 } },
      { q: 'b', wanted: { 3: 2 } },
    ]);
  });

  it.each([
    ['{"q":"a","wanted":["1"]}\n{', 'line 2: not valid JSON'],
    ['{"wanted":[]}', 'line 1: `q` must be the query, a string'],
    ['{"q":"a"}', 'line 1: `wanted` must be a list of ids, or an object with grades by id'],
    ['{"q":"a","wanted":{"x":-1}}', 'line 1: the grade of `x` must be a number of at least 0'],
  ])('is refused with its line: %s', (text, message) => {
    expect(() => parseJudgments(text)).toThrow(message);
  });
});

describe('a file of queries', () => {
  it('holds texts, or JSON with judgments and filters', () => {
    const text = 'red shoes\n\n{"q":"a","wanted":["1"]}\r\n{"q":"b","filter":["x = 1"]}\n{"q":""}';
    expect(parseQueries(text)).toEqual([
      { q: 'red shoes' },
      { q: 'a', wanted: { 1: 1 } },
      { q: 'b', filter: ['x = 1'] },
      { q: '' },
    ]);
  });

  it.each([
    ['shoes\n{"q":1}', 'line 2: `q` must be the query, a string'],
    ['{shoes', 'line 1: not valid JSON'],
    ['{"q":"a","wanted":1}', 'line 1: `wanted` must be a list of ids'],
  ])('is refused with its line: %s', (text, message) => {
    expect(() => parseQueries(text)).toThrow(message);
  });
});
