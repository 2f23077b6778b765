/** Records of API keys, signed tokens, and authorization without an OpenID provider, for tests. */
import { createHmac, randomUUID } from 'node:crypto';
import type { Access } from '../../src/auth/access.ts';
import { type AuthorizeOptions, createAuthorize } from '../../src/auth/authorize.ts';
import type { ApiKey } from '../../src/model/api-key.ts';

export const apiKey = (members: Partial<ApiKey>): ApiKey => ({
  uid: randomUUID(),
  name: null,
  description: null,
  actions: ['search'],
  indexes: ['*'],
  expiresAt: null,
  createdAt: '2026-01-01T00:00:00.000000Z',
  updatedAt: '2026-01-01T00:00:00.000000Z',
  ...members,
});

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * A JSON web token as libraries make it. With an unknown algorithm it is signed by the first known
 * one.
 */
export function signToken(claims: object, key: string, alg = 'HS256'): string {
  const signed = `${encode({ alg, typ: 'JWT' })}.${encode(claims)}`;
  const hash = /^HS(256|384|512)$/.exec(alg)?.[1] ?? '256';
  return `${signed}.${createHmac(`sha${hash}`, key).update(signed).digest('base64url')}`;
}

/** Without a provider every request is authorized or refused at once. */
export function authorizeAtOnce(options: Omit<AuthorizeOptions, 'openid'>) {
  const authorize = createAuthorize({ ...options, openid: null });
  return (...request: Parameters<typeof authorize>): Access => {
    const access = authorize(...request);
    if (access instanceof Promise) throw new Error('waits for a provider');
    return access;
  };
}
