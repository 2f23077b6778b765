/** The probe of a store names the promise that a store breaks, and the call that broke it. */
import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { openObjectStore } from '../../../../src/storage/object-store/open-store.ts';
import { type ProbeResult, probeStore } from '../../../../src/storage/object-store/probe.ts';
import { type Fault, S3Stub } from '../../../support/s3-stub.ts';

let stub: S3Stub;
afterEach(() => stub.stop());

/** Ends the probe. */
class Found extends Error {}

/** The failure of a promise; what the probe tries after it is left out. */
async function failureOf(fault: Fault, promise: string): Promise<string | null> {
  stub = await S3Stub.start(fault);
  const { url, env } = stub.store;
  const open = (aheadMs: number) =>
    openObjectStore(url, {
      env,
      nowMs: () => Date.now() + aheadMs,
      random: Math.random,
      callMs: 1000,
    });
  let failure: string | null = null;
  const options = { open, run: 'probe', bytes: randomBytes, openingMs: 100 };
  const onResult = (result: ProbeResult): void => {
    if (result.promise !== promise) return;
    failure = result.failure;
    throw new Found();
  };
  await expect(probeStore(options, onResult)).rejects.toThrow(Found);
  return failure;
}

const BROKEN: Readonly<Record<Fault, readonly [promise: string, call: RegExp]>> = {
  'ignores conditions': [
    'creating an existing object is refused',
    /^PUT probe\/\S+ with If-None-Match: replaced an object/,
  ],
  'checks conditions when an upload begins': [
    'of concurrent creations one wins, all uploads open at once',
    /^PUT probe\/\S+ with If-None-Match: \d+ of 10 concurrent calls won, not 1/,
  ],
  'lists late': ['a list shows creations and deletions at once', /^List of probe\/\S+ after PUT/],
  'remembers 404': [
    'an object is there for the first read after its creation',
    /^GET probe\/\S+: no object/,
  ],
  'keeps half an upload': [
    'half an upload leaves no object',
    /^GET probe\/\S+ after an upload that broke off: \d+ bytes, not 404/,
  ],
  'orders by the clock of requests': [
    'the order of arrival counts, not the clock of a request',
    /^GET probe\/\S+: 5 bytes, not the 23 bytes/,
  ],
  'ignores ranges': [
    'a range of bytes is read alone',
    /Range: bytes=0-0 .*: answered 200, not 206/,
  ],
  'lists in the order of creation': [
    'a list has every object, in byte order, on several pages',
    /^List of probe\/\S+ on pages of 7 keys: \d+ keys, not \d+ in byte order/,
  ],
  'has a second winner': [
    'of concurrent creations one wins',
    /2 of 10 concurrent calls won, not 1/,
  ],
  'returns other bytes': [
    'an object is read with the checksum of what was written',
    /^GET probe\/\S+: other bytes, not the 2000 bytes of the PUT/,
  ],
};

describe('probe of an object store', () => {
  for (const [fault, [promise, call]] of Object.entries(BROKEN)) {
    it(`refuses a store that ${fault}`, async () => {
      expect(await failureOf(fault as Fault, promise)).toMatch(call);
    });
  }

  it('tries nothing else on a store that does not answer', async () => {
    stub = await S3Stub.start();
    stub.onAnswer = () => 403;
    const { url, env } = stub.store;
    const open = () => openObjectStore(url, { env, nowMs: Date.now, random: Math.random });
    const results: ProbeResult[] = [];
    await probeStore({ open, run: 'probe', bytes: randomBytes }, (one) => results.push(one));
    expect(results).toEqual([
      { promise: 'the store answers', failure: expect.stringMatching(/^List of bucket.*403/) },
    ]);
  });
});
