/** Credentials: the order of the sources, roles, and when they are requested again. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OutgoingRequest } from '../../../../src/http-client/outgoing-http.ts';
import { credentialSource } from '../../../../src/storage/object-store/credentials.ts';
import {
  ObjectStoreAway,
  ObjectStoreError,
} from '../../../../src/storage/object-store/object-store.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'credentials-'));
const fileWith = (name: string, content: string): string => {
  const file = path.join(folder, name);
  fs.writeFileSync(file, content);
  return file;
};

const NOW_MS = Date.UTC(2026, 10, 26, 12);
const EXPIRES_MS = NOW_MS + 3_600_000;
const ROLE = {
  AccessKeyId: 'role-id',
  SecretAccessKey: 'role-secret',
  Token: 'role-token',
  Expiration: new Date(EXPIRES_MS).toISOString(),
};
const OF_ROLE = {
  accessKeyId: 'role-id',
  secretAccessKey: 'role-secret',
  sessionToken: 'role-token',
};

/** @param answers by the begin of the URL; other requests are unreachable */
function source(env: Record<string, string>, answers: Record<string, string> = {}) {
  const sent: Pick<OutgoingRequest, 'method' | 'url' | 'headers'>[] = [];
  const clock = { nowMs: NOW_MS };
  const credentials = credentialSource({
    env: { HOME: folder, ...env },
    region: 'eu-west-1',
    nowMs: () => clock.nowMs,
    send: async (request) => {
      sent.push(request);
      const found = Object.entries(answers).find(([url]) => request.url.startsWith(url));
      if (found === undefined) throw new Error('unreachable');
      return { status: 200, headers: {}, body: Buffer.from(found[1]) };
    },
  });
  return { credentials, sent, clock };
}

describe('credentials of a store', () => {
  it('come from the environment first', async () => {
    const env = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
    const file = fileWith('unused', '[default]\naws_access_key_id=x\naws_secret_access_key=y\n');
    const { credentials, sent } = source({ ...env, AWS_SHARED_CREDENTIALS_FILE: file });
    expect(await credentials()).toEqual({ accessKeyId: 'id', secretAccessKey: 'secret' });
    expect(sent).toEqual([]);
  });

  it('come from a profile of a file', async () => {
    const file = fileWith(
      'profiles',
      '[default]\naws_access_key_id = first\naws_secret_access_key = one\n\n[other]\naws_access_key_id=second\naws_secret_access_key=two\naws_session_token=three\n',
    );
    const env = { AWS_SHARED_CREDENTIALS_FILE: file };
    const first = source(env);
    expect(await first.credentials()).toEqual({ accessKeyId: 'first', secretAccessKey: 'one' });
    const second = source({ ...env, AWS_PROFILE: 'other' });
    expect(await second.credentials()).toEqual({
      accessKeyId: 'second',
      secretAccessKey: 'two',
      sessionToken: 'three',
    });
  });

  it('come from a role by a token', async () => {
    const token = fileWith('token', 'the-token\n');
    const { credentials, sent } = source(
      { AWS_ROLE_ARN: 'arn:aws:iam::1:role/gannet', AWS_WEB_IDENTITY_TOKEN_FILE: token },
      {
        'https://sts.eu-west-1.amazonaws.com/':
          '<R><Credentials><AccessKeyId>role-id</AccessKeyId><SecretAccessKey>role-secret</SecretAccessKey><SessionToken>role-token</SessionToken></Credentials></R>',
      },
    );
    expect(await credentials()).toEqual(OF_ROLE);
    expect(sent[0]?.url).toContain('WebIdentityToken=the-token');
    expect(sent[0]?.url).toContain('RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fgannet');
  });

  it('come from the role of a container', async () => {
    const answers = { 'http://169.254.170.2/role': JSON.stringify(ROLE) };
    const env = { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/role' };
    expect(await source(env, answers).credentials()).toEqual(OF_ROLE);
    const pod = source(
      {
        AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://169.254.170.23/v1/credentials',
        AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: fileWith('pod-token', 'pod\n'),
      },
      { 'http://169.254.170.23/': JSON.stringify(ROLE) },
    );
    expect(await pod.credentials()).toEqual(OF_ROLE);
    expect(pod.sent[0]?.headers).toEqual({ authorization: 'pod' });
  });

  it('come from the role of the machine, and are requested again before they expire', async () => {
    const origin = 'http://169.254.169.254/latest/';
    const { credentials, sent, clock } = source(
      {},
      {
        [`${origin}api/token`]: 'session',
        [`${origin}meta-data/iam/security-credentials/the-role`]: JSON.stringify(ROLE),
        [`${origin}meta-data/iam/security-credentials/`]: 'the-role\n',
      },
    );
    expect(await credentials()).toEqual(OF_ROLE);
    expect(sent[2]?.headers).toEqual({ 'x-aws-ec2-metadata-token': 'session' });
    clock.nowMs = EXPIRES_MS - 301_000;
    await credentials();
    expect(sent).toHaveLength(3);
    clock.nowMs = EXPIRES_MS - 299_000;
    await Promise.all([credentials(), credentials()]);
    expect(sent).toHaveLength(6);
  });

  it('are used until they expire while new ones cannot be had, which is tried now and then', async () => {
    const url = 'http://169.254.170.2/role';
    const answers: Record<string, string> = { [url]: JSON.stringify(ROLE) };
    const env = { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/role' };
    const { credentials, sent, clock } = source(env, answers);
    await credentials();
    delete answers[url];
    clock.nowMs = EXPIRES_MS - 299_000;
    expect(await credentials()).toEqual(OF_ROLE);
    expect(await credentials()).toEqual(OF_ROLE);
    expect(sent).toHaveLength(2);
    clock.nowMs += 11_000;
    expect(await credentials()).toEqual(OF_ROLE);
    expect(sent).toHaveLength(3);
    clock.nowMs = EXPIRES_MS;
    await expect(credentials()).rejects.toBeInstanceOf(ObjectStoreAway);
    const Expiration = new Date(EXPIRES_MS + 3_600_000).toISOString();
    answers[url] = JSON.stringify({ ...ROLE, AccessKeyId: 'next-id', Expiration });
    expect(await credentials()).toEqual({ ...OF_ROLE, accessKeyId: 'next-id' });
  });

  it('end with an error of the store when their file or answer cannot be read', async () => {
    const env = { AWS_ROLE_ARN: 'arn', AWS_WEB_IDENTITY_TOKEN_FILE: path.join(folder, 'absent') };
    await expect(source(env).credentials()).rejects.toBeInstanceOf(ObjectStoreError);
    const container = { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/role' };
    const html = source(container, { 'http://169.254.170.2/role': '<html>' });
    await expect(html.credentials()).rejects.toBeInstanceOf(ObjectStoreError);
    await expect(source(container).credentials()).rejects.toBeInstanceOf(ObjectStoreAway);
  });

  it('are looked for again after a failure', async () => {
    const { credentials, sent } = source({});
    await expect(credentials()).rejects.toThrow(
      'no credentials of the store: set AWS_ACCESS_KEY_ID',
    );
    await expect(credentials()).rejects.toThrow('no credentials');
    expect(sent).toHaveLength(2);
    const off = source({ AWS_EC2_METADATA_DISABLED: 'true' });
    await expect(off.credentials()).rejects.toThrow('no credentials');
    expect(off.sent).toEqual([]);
  });
});
