/**
 * The OpenID provider `oidc-provider` on a real socket: clients get access tokens (JWT) whose claims
 * a test sets; its keys can be rotated, and it can be stopped.
 */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import Provider from 'oidc-provider';

const RESOURCE = 'urn:gannet';
const SECRET = 'a-secret-of-the-client-in-tests';

export interface OpenidProvider {
  readonly issuer: string;
  readonly audience: string;
  /** Paths of all requests. */
  readonly asked: readonly string[];
  /** An access token with these claims. @param audience of the resource that it is for */
  token(claims: object, audience?: string): Promise<string>;
  /** Signs with a new key. The keys before are published still if `keepsOld`. */
  rotate(keepsOld: boolean): Promise<void>;
  close(): Promise<void>;
}

async function newKey(kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' };
}

export async function startOpenidProvider(): Promise<OpenidProvider> {
  const asked: string[] = [];
  let listener: RequestListener = () => undefined;
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    listener(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let claims: object = {};
  let keys: JWK[] = [];
  const rotate = async (keepsOld: boolean): Promise<void> => {
    keys = [await newKey(`key-${asked.length}-${keys.length}`), ...(keepsOld ? keys : [])];
    listener = new Provider(issuer, {
      clients: [
        {
          client_id: 'app',
          client_secret: SECRET,
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
        },
      ],
      cookies: { keys: [SECRET] },
      jwks: { keys },
      extraTokenClaims: () => claims,
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_: unknown, audience: string) => ({
            scope: '',
            audience,
            accessTokenTTL: 600,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'RS256' } },
          }),
        },
      },
    }).callback();
  };
  await rotate(false);
  return {
    issuer,
    audience: RESOURCE,
    asked,
    rotate,
    async token(wanted, audience = RESOURCE) {
      claims = wanted;
      const answer = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`app:${SECRET}`).toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource: audience }),
      });
      const { access_token: token } = (await answer.json()) as { access_token?: string };
      if (token === undefined) throw new Error(`the provider answers ${answer.status}`);
      return token;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
