/** Requests and answers described by example. */
import { describe, expect, it } from 'vitest';
import { RequestShape, ResponseShape, ShapeError } from '../../../src/core/rest-shape.ts';
import { restShapes } from '../../../src/embedding/providers/provider-profile.ts';

const MANY = '{{..}}';
const VECTOR = '{{embedding}}';

describe('a request by example', () => {
  it.each([
    ['{{text}}', 'A'],
    [
      { input: '{{text}}', n: 1 },
      { input: 'A', n: 1 },
    ],
    [{ a: [{ b: ['x', '{{text}}'] }] }, { a: [{ b: ['x', 'A'] }] }],
  ])('with one input: %j', (example, body) => {
    const shape = new RequestShape(example, '{{text}}');
    expect(shape.takesMany).toBe(false);
    expect(shape.fill(['A'])).toEqual(body);
  });

  it.each([
    [
      ['{{text}}', MANY],
      ['A', 'B'],
    ],
    [
      { input: ['{{text}}', MANY], n: null },
      { input: ['A', 'B'], n: null },
    ],
    [
      { in: [{ t: '{{text}}', kind: 'doc' }, MANY] },
      {
        in: [
          { t: 'A', kind: 'doc' },
          { t: 'B', kind: 'doc' },
        ],
      },
    ],
  ])('with many inputs: %j', (example, body) => {
    const shape = new RequestShape(example, '{{text}}');
    expect(shape.takesMany).toBe(true);
    expect(shape.fill(['A', 'B'])).toEqual(body);
  });

  it('takes inputs that look like placeholders, and members of any name', () => {
    const shape = new RequestShape(JSON.parse('{"__proto__": ["{{text}}", "{{..}}"]}'), '{{text}}');
    const inputs = [MANY, '{{text}}', { a: 1 }];
    expect(JSON.stringify(shape.fill(inputs))).toBe(JSON.stringify({ ['__proto__']: inputs }));
  });

  it.each([
    [
      { q: '{{query}}', in: ['{{text}}', MANY] },
      { q: 'Q', in: ['A', '{{query}}'] },
    ],
    [
      { a: [{ b: '{{query}}' }], in: [{ t: '{{text}}' }, MANY] },
      { a: [{ b: 'Q' }], in: [{ t: 'A' }, { t: '{{query}}' }] },
    ],
  ])('with one value outside the list: %j', (example, body) => {
    const shape = new RequestShape(example, '{{text}}', '{{query}}');
    expect(shape.fill(['A', '{{query}}'], 'Q')).toEqual(body);
  });

  it.each([
    [{ in: ['{{text}}', MANY] }, 'lacks'],
    [{ in: [{ q: '{{query}}', t: '{{text}}' }, MANY] }, 'lacks'],
    [{ a: '{{query}}', b: '{{query}}', in: ['{{text}}', MANY] }, 'more than once'],
  ])('is refused without exactly one place of that value: %j', (example, problem) => {
    expect(() => new RequestShape(example, '{{text}}', '{{query}}')).toThrow(problem);
  });

  it.each([
    [{}, 'lacks'],
    ['text', 'lacks'],
    [{ a: 'the {{text}}' }, 'lacks'],
    [['{{text}}', '{{text}}'], 'more than once'],
    [{ a: '{{text}}', b: ['{{text}}', MANY] }, 'more than once'],
    [{ a: '{{text}}', b: MANY }, 'nothing is repeated'],
    [['{{text}}', 'x', MANY], 'exactly one'],
    [[MANY], 'exactly one'],
    [[MANY, '{{text}}'], 'nothing is repeated'],
    [[['{{text}}', MANY], MANY], 'exactly one'],
    [{ a: '{{text}}', b: ['x', MANY] }, 'repeats `b`'],
  ])('is refused: %j', (example, problem) => {
    const make = () => new RequestShape(example, '{{text}}');
    expect(make).toThrow(ShapeError);
    expect(make).toThrow(problem);
  });
});

describe('an answer by example', () => {
  it('gives what stands at the places of vectors', () => {
    const many = new ResponseShape({ data: [{ embedding: VECTOR }, MANY] }, VECTOR);
    expect(many.read({ data: [{ embedding: [1] }, { embedding: 'x' }], more: 1 })).toEqual([
      [1],
      'x',
    ]);
    expect(new ResponseShape({ a: [VECTOR] }, VECTOR).read({ a: [[1]] })).toEqual([[1]]);
    expect(new ResponseShape(VECTOR, VECTOR).read([1, 2])).toEqual([[1, 2]]);
  });

  it.each([
    [null, 'data'],
    [{ data: { embedding: [1] } }, 'data'],
    [{ data: [{}] }, 'embedding'],
    [JSON.parse('{"__proto__": {"data": []}}'), 'data'],
  ])('names the place where an answer differs: %j', (answer, place) => {
    const shape = new ResponseShape({ data: [{ embedding: VECTOR }, MANY] }, VECTOR);
    expect(() => shape.read(answer)).toThrow(`at \`${place}\``);
  });
});

it('settings of a REST embedder whose two examples do not go together are refused', () => {
  const shapes =
    (request: unknown, response: unknown, fragments = {}) =>
    () =>
      restShapes({ source: 'rest', url: 'u', request, response, indexingFragments: fragments });
  expect(shapes(['{{text}}', MANY], ['{{embedding}}', MANY])).not.toThrow();
  expect(shapes('{{text}}', ['{{embedding}}', MANY])).toThrow('`request` and `response`');
  expect(shapes('{{text}}', {})).toThrow('`response` lacks');
  expect(shapes('{{text}}', '{{embedding}}', { a: { value: 1 } })).toThrow('`request` lacks');
  expect(shapes('{{fragment}}', '{{embedding}}', { a: { value: 1 } })).not.toThrow();
});
