/** The file of roles: what it may say, and how claims fill its filters. */
import { describe, expect, it } from 'vitest';
import { claimAt, filterOf, readRoles, roleOf } from '../../../src/auth/openid-roles.ts';

const role = (more: object) => ({ role: 'r', actions: ['search'], indexes: ['*'], ...more });
const filled = (filter: unknown, claims: object) => {
  const [read] = readRoles([role({ filter })]);
  return read === undefined ? null : filterOf(read, { ...claims });
};

describe('a file of roles', () => {
  it.each([
    [{}, 'it is not an array of roles'],
    [[], 'it is not an array of roles'],
    [['admin'], 'role 1: expected a name in `role`'],
    [[role({}), role({ role: '' })], 'role 2: expected a name in `role`'],
    [[role({ action: [] })], 'role 1: expected no member "action"'],
    [[role({ actions: ['fly'] })], 'role 1: expected a list of actions of API keys in `actions`'],
    [[role({ actions: '*' })], 'role 1: expected a list of actions of API keys in `actions`'],
    [
      [role({ indexes: ['a b'] })],
      'role 1: expected a list of index names and patterns in `indexes`',
    ],
    [[role({ requestsPerSecond: 0 })], 'role 1: expected a whole number in `requestsPerSecond`'],
    [[role({ filter: '' })], 'role 1: expected a filter that is not empty'],
    [[role({ filter: [['a = 1', ' ']] })], 'role 1: expected a filter that is not empty'],
    [[role({ filter: 7 })], 'role 1: The filter has invalid syntax'],
    [
      [role({ filter: 'a = 1', actions: ['search', 'documents.get'] })],
      'role 1: expected no action `documents.get` in a role with a filter',
    ],
    [[role({ filter: 'a = 1', actions: ['*'] })], 'role 1: expected no action'],
    [[role({ filter: `a = '{b}'` })], 'role 1: expected no quotes in an expression with a claim'],
    [[role({ filter: ['b = 1', [`a = {b} OR c = "x"`]] })], 'role 1: expected no quotes'],
  ])('such as %j is refused', (value, message) => {
    expect(() => readRoles(value)).toThrow(message);
  });

  it('may have a filter with quotes where no claim is', () => {
    expect(filled([`a = 'x y'`, ['b = {c}', 'd = 1']], { c: 'z' })).toEqual([
      `a = 'x y'`,
      ['b = "z"', 'd = 1'],
    ]);
  });
});

describe('claims', () => {
  it('are values, never syntax', () => {
    expect(filled('t = {t}', { t: `a" OR 'b\\\n\u0000` })).toBe(
      String.raw`t = "a\" OR 'b\\\n\u0000"`,
    );
    expect(filled('t IN {a.b}', { a: { b: ['x', 7, '] OR y'] } })).toBe(
      't IN ["x", "7", "] OR y"]',
    );
    expect(filled('t IN {t}', { t: [] })).toBe('t IN []');
    expect(filled('t = {t} AND u = {t}', { t: '{u}' })).toBe('t = "{u}" AND u = "{u}"');
  });

  it('that are missing or of another type fill nothing', () => {
    for (const t of [undefined, null, true, {}, [null], [['a']].flat(0).concat([{}] as never)])
      expect(() => filled('t = {t}', { t })).toThrow('`t`');
    expect(() => filled('t = {toString}', {})).toThrow('`toString`');
    expect(() => filled('t = {a.constructor}', { a: {} })).toThrow('`a.constructor`');
  });

  it('are found by their name before their path', () => {
    const claims = { 'https://a.example/roles': 1, 'a.b': 2, a: { b: 3, c: 4 } };
    expect(
      ['https://a.example/roles', 'a.b', 'a.c', 'a.c.d'].map((p) => claimAt(claims, p)),
    ).toEqual([1, 2, 4, undefined]);
  });

  it('name the first role of the file, as a list, a text or a text with blanks', () => {
    const roles = readRoles([role({ role: 'a' }), role({ role: 'b c' }), role({ role: 'd' })]);
    const found = [['d', 'a'], 'd', 'b c', 'x d', ['a d'], 7, undefined].map(
      (claim) => roleOf(roles, claim)?.name,
    );
    expect(found).toEqual(['a', 'd', 'b c', 'd', undefined, undefined, undefined]);
  });
});
