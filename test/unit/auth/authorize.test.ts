/** Who may do what: bearer extraction and the master key. */
import { describe, expect, it } from 'vitest';
import { createAuthorize } from '../../../src/auth/authorize.ts';
import { bearerToken } from '../../../src/auth/bearer.ts';

const MASTER_KEY = 'clé maîtresse, with spaces';

describe('bearerToken', () => {
  it('is everything after the first space', () => {
    expect(bearerToken('Bearer a b  c')).toBe('a b  c');
    expect(bearerToken('')).toBeNull();
  });

  it.each([
    ['Basic x', 'missing_authorization_header'],
    ['bearer x', 'missing_authorization_header'],
    ['BearerX', 'missing_authorization_header'],
    [' Bearer x', 'missing_authorization_header'],
    ['Bearer', 'invalid_api_key'],
    ['Bearer ', 'invalid_api_key'],
  ])('refuses %j with %s', (header, code) => {
    expect(() => bearerToken(header)).toThrow(expect.objectContaining({ code }));
  });
});

describe('createAuthorize', () => {
  it('lets only the master key pass when there is one', () => {
    const authorize = createAuthorize(MASTER_KEY);
    expect(() => authorize(`Bearer ${MASTER_KEY}`, 'search')).not.toThrow();
    expect(() => authorize('', 'search')).toThrow(expect.objectContaining({ code: 'missing_authorization_header' }));
    for (const key of ['x', `${MASTER_KEY} `, MASTER_KEY.slice(1), MASTER_KEY.toUpperCase()]) {
      expect(() => authorize(`Bearer ${key}`, 'search')).toThrow(expect.objectContaining({ code: 'invalid_api_key' }));
    }
  });

  it('lets everything well-formed pass when there is none', () => {
    const authorize = createAuthorize(null);
    for (const header of ['', 'Bearer anything']) expect(() => authorize(header, 'search')).not.toThrow();
    expect(() => authorize('Basic x', 'search')).toThrow(
      expect.objectContaining({ code: 'missing_authorization_header' }),
    );
  });

  it('never shows a key in a message', () => {
    expect(() => createAuthorize(MASTER_KEY)('Bearer wrong-secret', 'search')).toThrow(
      expect.not.objectContaining({ message: expect.stringMatching(/wrong-secret|clé/) }),
    );
  });
});
