/** Requests to S3: retries, lost answers, addresses, signatures. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OutgoingRequest } from '../../../../src/http-client/outgoing-http.ts';
import {
  ObjectStoreAway,
  ObjectStoreError,
} from '../../../../src/storage/object-store/object-store.ts';
import { openObjectStore } from '../../../../src/storage/object-store/open-store.ts';
import { S3Store } from '../../../../src/storage/object-store/s3-store.ts';
import { S3Stub } from '../../../support/s3-stub.ts';

let stub: S3Stub;
beforeEach(async () => {
  stub = await S3Stub.start();
});
afterEach(() => stub.stop());

const NOW_MS = Date.UTC(2026, 10, 26, 12);
const bytes = (content: string) => Buffer.from(content);

function store({ env, callMs }: { env?: Record<string, string>; callMs?: number } = {}) {
  return openObjectStore(stub.store.url, {
    env: env ?? stub.store.env,
    nowMs: () => NOW_MS,
    random: () => 0,
    ...(callMs && { callMs }),
  });
}

/** Changes the next answers to requests that begin with the text. */
function answerOnce(begin: string, ...changes: (number | 'lost')[]): void {
  stub.onAnswer = (line) => (line.startsWith(begin) ? (changes.shift() ?? null) : null);
}

describe('requests to S3', () => {
  it('are repeated after errors of the server and broken connections', async () => {
    answerOnce('PUT', 500, 'lost', 429, 503);
    await store().put('a', bytes('content'));
    answerOnce('GET', 'lost', 500);
    expect(await store().get('a')).toEqual(bytes('content'));
    expect(stub.requests).toHaveLength(8);
  });

  it('end with an error that names the call, once their time is over', async () => {
    stub.onAnswer = () => 503;
    const hasty = store({ callMs: 200 });
    await expect(hasty.put('a', bytes('content'))).rejects.toThrow(
      `PUT bucket/some/prefix/a at ${stub.endpoint}: answered 503`,
    );
    await expect(hasty.create('a', bytes('content'))).rejects.toThrow('with If-None-Match');
    await expect(hasty.delete('a')).rejects.toBeInstanceOf(ObjectStoreAway);
  });

  it('are not repeated when the store refuses them', async () => {
    stub.onAnswer = () => 403;
    const refused = store().get('a');
    await expect(refused).rejects.toThrow('answered 403');
    await expect(refused).rejects.not.toBeInstanceOf(ObjectStoreAway);
    expect(stub.requests).toHaveLength(1);
  });

  it('find out by the bytes who created an object when the answer was lost', async () => {
    answerOnce('PUT', 'lost');
    expect(await store().create('a', bytes('by the first'))).toBe(true);
    answerOnce('PUT', 'lost');
    expect(await store().create('a', bytes('by the other'))).toBe(false);
    answerOnce('PUT', 409);
    expect(await store().create('a', bytes('by the first'))).toBe(false);
  });

  it('are signed for the region, with the checksum of the body and the session', async () => {
    const env = { ...stub.store.env, AWS_SESSION_TOKEN: 'session', AWS_REGION: 'eu-central-1' };
    await store({ env }).put('a', bytes('content'));
    expect(stub.requests[0]?.headers).toMatchObject({
      authorization: expect.stringContaining('Credential=id/20261126/eu-central-1/s3/aws4_request'),
      'x-amz-date': '20261126T120000Z',
      'x-amz-security-token': 'session',
      'x-amz-content-sha256': 'ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73',
      'content-length': '7',
    });
  });

  it('are repeated while the source of credentials does not answer, and not if there are none', async () => {
    const endpoint = new URL('http://host:9000');
    const place = { kind: 's3', bucket: 'films', prefix: '', endpoint, region: 'x' } as const;
    const failures: Error[] = [new ObjectStoreAway('no answer'), new ObjectStoreAway('no answer')];
    const http = {
      send: async () => ({ status: 200, headers: {}, body: bytes('content') }),
      close: () => undefined,
    };
    const credentials = async () => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return { accessKeyId: 'id', secretAccessKey: 'secret' };
    };
    const options = { http, credentials, nowMs: () => NOW_MS, random: () => 0 };
    const credentialed = new S3Store({ ...place, pathStyle: true }, options);
    expect(await credentialed.get('a')).toEqual(bytes('content'));
    failures.push(new ObjectStoreError('no credentials'));
    await expect(credentialed.get('a')).rejects.toThrow('no credentials');
    expect(failures).toEqual([]);
  });

  it('take nothing else for a list, nor a page without the place of the next one', async () => {
    const endpoint = new URL('http://host:9000');
    const place = { kind: 's3', bucket: 'films', prefix: '', endpoint, region: 'x' } as const;
    const listed = async (body: string): Promise<unknown[]> => {
      const http = {
        send: async () => ({ status: 200, headers: {}, body: bytes(body) }),
        close: () => undefined,
      };
      const credentials = async () => ({ accessKeyId: 'id', secretAccessKey: 'secret' });
      const options = { http, credentials, nowMs: () => NOW_MS, random: () => 0 };
      const objects: unknown[] = [];
      for await (const object of new S3Store({ ...place, pathStyle: true }, options).list(''))
        objects.push(object);
      return objects;
    };
    expect(await listed('<ListBucketResult xmlns="x"></ListBucketResult>')).toEqual([]);
    await expect(listed('<html>Sign in</html>')).rejects.toThrow(
      'answered without a list of objects',
    );
    const cut = '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>';
    await expect(listed(cut)).rejects.toThrow('answered without a list of objects');
  });

  it('name the bucket in the path or in the host', async () => {
    const urls: string[] = [];
    const http = {
      send: async ({ url }: OutgoingRequest) => {
        urls.push(url);
        return { status: 200, headers: {}, body: bytes('content') };
      },
      close: () => undefined,
    };
    const options = {
      http,
      credentials: async () => ({ accessKeyId: 'id', secretAccessKey: 'secret' }),
      nowMs: () => NOW_MS,
      random: () => 0,
    };
    for (const pathStyle of [true, false]) {
      const endpoint = new URL('http://host:9000');
      const place = { kind: 's3', bucket: 'films', prefix: 'a/', endpoint, region: 'x' } as const;
      await new S3Store({ ...place, pathStyle }, options).get('b');
    }
    expect(urls).toEqual(['http://host:9000/films/a/b', 'http://films.host:9000/a/b']);
  });

  it('copy an object within one endpoint, and say when it was not copied', async () => {
    const other = openObjectStore(`s3://bucket/other?endpoint=${stub.endpoint}`, {
      env: stub.store.env,
      nowMs: () => NOW_MS,
      random: () => 0,
    });
    await store().put('folder/a', bytes('content'));
    expect(await other.copyFrom?.(store(), 'folder/a', 7)).toBe(true);
    expect(await other.get('folder/a')).toEqual(bytes('content'));
    expect(await other.copyFrom?.(store(), 'missing', 7)).toBe(false);
    const elsewhere = openObjectStore('s3://bucket/other?endpoint=http://127.0.0.1:1', {
      env: stub.store.env,
      nowMs: () => NOW_MS,
      random: () => 0,
    });
    expect(await elsewhere.copyFrom?.(store(), 'folder/a', 7)).toBe(false);
  });
});
