/** Requests to other instances: where they go, what they carry, what becomes of their answers. */
import { describe, expect, it } from 'vitest';
import { OutgoingError } from '../../../src/http-client/outgoing-error.ts';
import type { OutgoingRequest } from '../../../src/http-client/outgoing-http.ts';
import { NO_NETWORK } from '../../../src/model/network.ts';
import { RemoteSearches } from '../../../src/network/remote-searches.ts';

const remote = { url: 'http://far.example/base', searchApiKey: 'key', writeApiKey: null };
const network = { ...NO_NETWORK, remotes: { far: remote } };

/** A remote that answers so, asked for facets. */
function asking(status: number, body: string) {
  const sent: OutgoingRequest[] = [];
  const searches = new RemoteSearches(async (request) => {
    sent.push(request);
    return { status, headers: {}, body: Buffer.from(body) };
  }, 1000);
  const ask = () => searches.facetSearch('a b', { network, name: 'far', body: { facetName: 'x' } });
  return { sent, searches, ask };
}

describe('a request to a remote', () => {
  it('goes below its URL with its key, and says that its hits are merged', async () => {
    const { sent, ask } = asking(200, '{"facetHits":[{"value":"v","count":2}]}');
    expect(await ask()).toEqual({ facetHits: [{ value: 'v', count: 2 }] });
    expect(sent).toMatchObject([
      {
        url: 'http://far.example/base/indexes/a%20b/facet-search',
        headers: { authorization: 'Bearer key', 'meili-proxy-search': 'true' },
      },
    ]);
  });

  it.each([
    '{}',
    'null',
    'no json',
    '{"facetHits":[{"value":1,"count":2}]}',
    '{"facetHits":[{"value":"v","count":"2"}]}',
    '{"facetHits":[{"value":"v","count":-2}]}',
  ])('that is answered by %s is not a facet search', async (body) => {
    await expect(asking(200, body).ask()).rejects.toThrow(
      'The answer of `far` is not a facet search.',
    );
  });

  it.each([
    [400, 'remote_bad_request'],
    [401, 'remote_invalid_api_key'],
    [403, 'remote_invalid_api_key'],
    [500, 'remote_remote_error'],
  ])('that is answered with %s fails with %s and the reason', async (status, code) => {
    const { searches, ask } = asking(status, '{"message":"it is tired","code":"tired"}');
    await expect(ask()).rejects.toMatchObject({
      code,
      message: `\`far\` answered with status ${status}: it is tired (tired)`,
    });
    expect(searches.isAvailable('far')).toBe(status < 500);
  });

  it('that comes to nothing leaves the remote unavailable until one is answered', async () => {
    let isDown = true;
    const searches = new RemoteSearches(async () => {
      if (isDown) throw new OutgoingError('timeout', 'it did not answer in time.');
      return { status: 200, headers: {}, body: Buffer.from('{"facetHits":[]}') };
    }, 1000);
    const ask = () => searches.facetSearch('films', { network, name: 'far', body: {} });
    expect(searches.isAvailable('far')).toBe(true);
    await expect(ask()).rejects.toMatchObject({ code: 'remote_timeout' });
    expect(searches.isAvailable('far')).toBe(false);
    isDown = false;
    await ask();
    expect(searches.isAvailable('far')).toBe(true);
  });

  it('goes nowhere when the network has no such remote', async () => {
    const { searches } = asking(200, '{}');
    await expect(
      searches.federated({ network, name: 'toString', body: {} }, null),
    ).rejects.toMatchObject({
      code: 'unknown_remote',
    });
  });
});
