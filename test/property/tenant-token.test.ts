/**
 * Random tenant tokens: an invalid token is refused with a typed error, and only a valid signature
 * gives access.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AuthRateLimiter } from '../../src/auth/auth-rate-limiter.ts';
import { KeyRates } from '../../src/auth/key-rates.ts';
import { KeyRing } from '../../src/auth/key-ring.ts';
import { ApiError } from '../../src/core/errors.ts';
import { NO_ALIASES } from '../../src/model/alias.ts';
import { apiKey, authorizeAtOnce, signToken } from '../support/api-keys.ts';
import { amount } from '../support/run-length.ts';

const MASTER_KEY = 'a master key of some length';
const ring = new KeyRing(MASTER_KEY);
const key = apiKey({});
ring.publish(key);
const value = ring.valueOf(key.uid);
const authorize = authorizeAtOnce({
  masterKey: MASTER_KEY,
  keys: ring,
  now: () => 1_800_000_000_000,
  formerMasterKey: null,
  guard: new AuthRateLimiter(0, () => 0),
  rates: new KeyRates(() => 0),
  aliases: () => NO_ALIASES,
  allowLooseTenantRules: false,
});

/** True if the header allows a search; any error except the expected kind fails the test. */
function opens(header: string): boolean {
  try {
    authorize({ header, address: () => '192.0.2.1' }, 'search', 'films');
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect(['invalid_api_key', 'missing_authorization_header']).toContain((error as ApiError).code);
    return false;
  }
}

const base64url = fc
  .uint8Array({ maxLength: 60 })
  .map((bytes) => Buffer.from(bytes).toString('base64url'));
const jsonPart = fc.json().map((text) => Buffer.from(text).toString('base64url'));
const HEAD = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url');

describe('tenant tokens of random bytes', () => {
  it('open nothing and never throw beyond the typed error', () => {
    const part = fc.oneof(base64url, jsonPart, fc.constant(HEAD), fc.string({ maxLength: 40 }));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        expect(opens(`Bearer ${parts.join('.')}`)).toBe(false);
      }),
      { numRuns: amount(500, 8000) },
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (header) => {
        expect(opens(header)).toBe(false);
      }),
      { numRuns: amount(200, 2000) },
    );
  });

  it('signed by the key with random claims answer a typed error or open exactly what the rules name', () => {
    const claims = fc.record({
      apiKeyUid: fc.oneof({ weight: 5, arbitrary: fc.constant<unknown>(key.uid) }, fc.jsonValue()),
      searchRules: fc.oneof(
        fc.jsonValue(),
        fc.array(fc.constantFrom('films', 'fil*', '*', 'books', 'books*')),
        fc.dictionary(
          fc.constantFrom('films', 'fil*', '*', 'books'),
          fc.constantFrom(null, {}, { filter: 'a = 1' }),
        ),
      ),
      exp: fc.oneof({ weight: 5, arbitrary: fc.constant<unknown>(undefined) }, fc.jsonValue()),
    });
    fc.assert(
      fc.property(claims, (given) => {
        const isOpen = opens(`Bearer ${signToken(given, value)}`);
        if (!isOpen) return;
        const names = Array.isArray(given.searchRules)
          ? given.searchRules
          : Object.keys(given.searchRules as object);
        expect(given.apiKeyUid).toBe(key.uid);
        expect(names.some((name) => ['films', 'fil*', '*'].includes(String(name)))).toBe(true);
      }),
      { numRuns: amount(300, 4000) },
    );
  });

  it('with one character changed open nothing', () => {
    const token = signToken({ apiKeyUid: key.uid, searchRules: ['*'], exp: 1_900_000_000 }, value);
    expect(opens(`Bearer ${token}`)).toBe(true);
    const bitsOf = (text: string) =>
      text.split('.').map((part) => Buffer.from(part, 'base64url').toString('hex'));
    fc.assert(
      fc.property(
        fc.nat(token.length - 1),
        fc.constantFrom(...'ABCxyz019_-.= '),
        (at, character) => {
          const changed = token.slice(0, at) + character + token.slice(at + 1);
          fc.pre(bitsOf(changed).join() !== bitsOf(token).join());
          expect(opens(`Bearer ${changed}`)).toBe(false);
        },
      ),
      { numRuns: amount(200, 2000) },
    );
  });
});
