/** Requests that a node passes on: which are sent again, and what the client gets. */
import { describe, expect, it } from 'vitest';
import { WriterForwarding } from '../../../src/cluster/writer-forwarding.ts';
import { OutgoingError } from '../../../src/http-client/outgoing-error.ts';
import type { OutgoingAnswer, OutgoingRequest } from '../../../src/http-client/outgoing-http.ts';
import { PATIENCE_MS } from '../../support/until.ts';

const answer = (status: number, body: string): OutgoingAnswer => ({
  status,
  headers: { 'content-type': 'application/json', 'retry-after': '1' },
  body: Buffer.from(body),
});
const refusal = answer(503, '{"message":"…","code":"writer_unavailable"}');
const failure = (code: string) =>
  new OutgoingError('unreachable', 'away', { cause: Object.assign(new Error(), { code }) });
const request = {
  method: 'POST',
  target: '/indexes?x=1',
  headers: { authorization: 'Bearer key' },
  body: Buffer.from('{}'),
  signal: new AbortController().signal,
} as const;

type Outcome = OutgoingAnswer | Error | 'paused';

/** @param timeoutMs of the request; no attempt of a test comes near the default */
function harness(outcomes: readonly Outcome[], timeoutMs = PATIENCE_MS) {
  const left = [...outcomes];
  const sent: OutgoingRequest[] = [];
  const place = { isHere: false, url: 'http://writer' as string | null };
  const forwarding = new WriterForwarding({
    writer: () => place,
    send: async (outgoing) => {
      sent.push(outgoing);
      const outcome = left.shift() ?? refusal;
      if (outcome instanceof Error) throw outcome;
      if (outcome === 'paused')
        return new Promise((_, fail) => {
          outgoing.signal?.addEventListener('abort', () => fail(outgoing.signal?.reason));
        });
      return outcome;
    },
    timeoutMs,
    retryMs: 5,
    replacedMs: 20,
    monotonic: () => performance.now(),
  });
  return { forwarding, sent, place };
}

describe('a request that is passed on', () => {
  it('goes to the writer with the headers of the caller, and its answer comes back', async () => {
    const { forwarding, sent } = harness([answer(202, '{"taskUid":1}')]);
    expect(await forwarding.send(request)).toEqual({
      status: 202,
      bytes: Buffer.from('{"taskUid":1}'),
      contentType: 'application/json',
      headers: ['retry-after', '1'],
    });
    expect(sent).toMatchObject([
      {
        url: 'http://writer/indexes?x=1',
        headers: { authorization: 'Bearer key', 'x-gannet-forwarded': '1' },
      },
    ]);
  });

  it('is sent again while no node can have accepted it', async () => {
    const { forwarding, sent } = harness([failure('ECONNREFUSED'), refusal, answer(204, '')]);
    expect(await forwarding.send(request)).toEqual({ status: 204, headers: ['retry-after', '1'] });
    expect(sent).toHaveLength(3);
  });

  it('reads a body that is not in memory again for each attempt', async () => {
    const { forwarding, sent } = harness([refusal, answer(204, '')]);
    const chunks = async function* () {
      yield Buffer.from('{}');
    };
    await forwarding.send({ ...request, body: { bytes: 2, chunks } });
    expect(sent.map(({ stream }) => stream)).toEqual([chunks, chunks]);
    expect(sent[1]).toMatchObject({ headers: { 'content-length': '2' } });
  });

  it('is not sent again when its connection broke, because it may have been accepted', async () => {
    const { forwarding, sent } = harness([failure('ECONNRESET')]);
    await expect(forwarding.send(request)).rejects.toMatchObject({
      code: 'writer_unavailable',
      message: expect.stringContaining('it may have accepted the request'),
    });
    expect(sent).toHaveLength(1);
  });

  it('names a writer that does not answer in time, as while its store is away', async () => {
    for (const end of ['timeout', 'aborted'] as const) {
      const { forwarding, sent } = harness([new OutgoingError(end, 'the time is over')]);
      await expect(forwarding.send(request)).rejects.toMatchObject({
        code: 'writer_unavailable',
        message: expect.stringContaining('did not answer in time: it may have accepted'),
      });
      expect(sent).toHaveLength(1);
    }
  });

  it('does not wait for a paused node once another one writes', async () => {
    const { place, sent, forwarding } = harness(['paused', answer(204, '')]);
    const pending = forwarding.send(request);
    place.url = null;
    place.url = 'http://other';
    await expect(pending).rejects.toMatchObject({
      code: 'writer_unavailable',
      message: expect.stringContaining('was replaced before its answer came'),
    });
    expect(sent).toHaveLength(1);
    expect(await forwarding.send(request)).toMatchObject({ status: 204 });
    expect(sent[1]).toMatchObject({ url: 'http://other/indexes?x=1' });
  });

  it('fails when no node writes until its deadline', async () => {
    const { forwarding, sent, place } = harness([], 20);
    place.url = null;
    await expect(forwarding.send(request)).rejects.toMatchObject({
      code: 'writer_unavailable',
      status: 503,
      message: expect.stringContaining('nothing was changed'),
    });
    expect(sent).toEqual([]);
  });

  it('is needed while this node does not write', () => {
    const { forwarding, place } = harness([]);
    expect(forwarding.isNeeded).toBe(true);
    place.isHere = true;
    expect(forwarding.isNeeded).toBe(false);
  });
});
