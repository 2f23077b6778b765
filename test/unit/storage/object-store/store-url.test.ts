/** URLs of stores: where the parts come from, and what is refused. */
import { describe, expect, it } from 'vitest';
import { parseStoreUrl } from '../../../../src/storage/object-store/store-url.ts';

describe('URL of a store', () => {
  it('names a directory', () => {
    const place = parseStoreUrl('file:///var/lib/gannet%20store', {});
    expect(place).toEqual({ kind: 'directory', path: '/var/lib/gannet store' });
  });

  it('names a bucket at Amazon', () => {
    expect(parseStoreUrl('s3://films', { AWS_REGION: 'eu-west-1' })).toEqual({
      kind: 's3',
      bucket: 'films',
      prefix: '',
      endpoint: new URL('https://s3.eu-west-1.amazonaws.com'),
      region: 'eu-west-1',
      pathStyle: false,
    });
  });

  it('takes its parameters before the environment', () => {
    const env = { AWS_ENDPOINT_URL: 'http://other', AWS_DEFAULT_REGION: 'other' };
    const url = 's3://films/a/b/?endpoint=http://127.0.0.1:9000&region=here';
    expect(parseStoreUrl(url, env)).toMatchObject({
      prefix: 'a/b/',
      endpoint: new URL('http://127.0.0.1:9000'),
      region: 'here',
      pathStyle: true,
    });
    expect(parseStoreUrl('s3://films?path-style=false', env)).toMatchObject({
      endpoint: new URL('http://other'),
      region: 'other',
      pathStyle: false,
    });
  });

  for (const [url, reason] of [
    ['/var/lib/store', 'must begin with `s3://` or `file:///`'],
    ['file://host/path', 'a third slash'],
    ['s3://A_bucket', 'is not a bucket name'],
    ['s3://films/a%20b', 'a prefix has only'],
    ['s3://films/../b?x=1', '`x` is not one of endpoint, region, path-style'],
    ['s3://films?endpoint=host', 'the endpoint `host` is not `https://host`'],
    ['s3://films?path-style=yes', '`path-style` is `true` or `false`'],
  ] as const) {
    it(`is refused: ${url}`, () => {
      expect(() => parseStoreUrl(url, {})).toThrow(reason);
    });
  }

  it('is refused with credentials, which the message does not show', () => {
    const parse = () => parseStoreUrl('s3://id:secret@films', {});
    expect(parse).toThrow('credentials belong in the environment');
    expect(parse).not.toThrow('secret');
  });
});
