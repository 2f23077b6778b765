/** Fingerprints of indexes: what is read by query threads, and what files hold from an earlier start. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiContext } from '../../../../src/api/contract/context.ts';
import { KeptFingerprints } from '../../../../src/api/contract/kept-fingerprints.ts';
import { indexFingerprint } from '../../../../src/api/searches/index-fingerprint.ts';
import type { QueryTask } from '../../../../src/ipc/queries/query-protocol.ts';
import {
  documentFingerprint,
  FingerprintSum,
  idDigest,
} from '../../../../src/model/document-fingerprint.ts';
import type { FingerprintRequest } from '../../../../src/model/fingerprint.ts';
import type { SegmentEntry } from '../../../../src/model/index-manifest.ts';
import { FingerprintFiles } from '../../../../src/storage/fingerprint-files.ts';
import { createFakeApiContext, jsonReply } from '../../../support/fake-api-context.ts';
import { cleanUp, freshFolder } from '../../../support/test-server.ts';

afterAll(cleanUp);

/** Two ranges. */
const COUNT = 4100;
const SEGMENTS = ['1-a', '2-b'] as const;

/** Deleted documents by segment. */
type Dead = Readonly<Partial<Record<string, readonly number[]>>>;

const segmentOf = (id: string, dead: readonly number[]): SegmentEntry => ({
  id,
  documentCount: COUNT,
  deadCount: dead.length,
  tombstones: dead.length === 0 ? null : dead.join(),
  files: [],
});

const caller = { isAborted: false, requestUid: 'r', keyUid: null };
const hash = documentFingerprint({ title: 'film' });
const otherHash = documentFingerprint({ title: 'another film' });
const digests = Array.from({ length: COUNT }, (_, rank) => idDigest(String(rank)));
function add(sum: FingerprintSum, segmentId: string, rank: number): void {
  sum.addDocument(digests[rank] ?? '', segmentId === '1-a' ? hash : otherHash);
}

function expected(segments: readonly string[], dead: Dead = {}): string {
  const sum = new FingerprintSum();
  for (const id of segments)
    for (let rank = 0; rank < COUNT; rank++) if (!dead[id]?.includes(rank)) add(sum, id, rank);
  return JSON.stringify(sum.parts);
}

let folder: string;
let asked: FingerprintRequest[];
beforeEach(() => {
  folder = join(freshFolder(), 'fingerprints');
});

/** A front after its start. @param failsAt number of the request to query threads that fails */
function startedFront(
  { segments = SEGMENTS, dead = {} }: { segments?: readonly string[]; dead?: Dead } = {},
  failsAt = Number.POSITIVE_INFINITY,
): ApiContext {
  const fake = createFakeApiContext();
  const published = fake.publish('films');
  const manifest = {
    ...published.manifest,
    segments: segments.map((id) => segmentOf(id, dead[id] ?? [])),
  };
  const index = { ...published, manifest };
  asked = [];
  fake.replies = [
    (task: QueryTask) => {
      const { request } = task.work as { request: Extract<FingerprintRequest, { sum: string }> };
      asked.push(request);
      if (asked.length === failsAt) throw new Error('stopped');
      const sum = new FingerprintSum();
      for (let rank = request.from; rank < request.to; rank++)
        if (request.sum === 'all' || dead[request.segmentId]?.includes(rank))
          add(sum, request.segmentId, rank);
      return jsonReply({ generation: manifest.generation, found: sum.parts });
    },
  ];
  return {
    ...fake,
    indexes: { get: () => index, list: () => [index] },
    keptFingerprints: new KeptFingerprints(new FingerprintFiles(folder)),
  };
}

const read = async (front: ApiContext): Promise<string> =>
  JSON.stringify((await indexFingerprint(front, 'films', caller)).parts);
const summary = (): string[] =>
  asked.map((each) => `${each.segmentId} ${each.from} ${'sum' in each ? each.sum : ''}`);

describe('a fingerprint', () => {
  it('reads each segment once', async () => {
    const front = startedFront();
    const whole = expected(SEGMENTS);
    expect(await read(front)).toBe(whole);
    expect(asked).toHaveLength(4);
    expect(await read(front)).toBe(whole);
    expect(asked).toHaveLength(4);
  });

  it('reads nothing after a start if the segments are the same', async () => {
    await read(startedFront());
    expect(await read(startedFront())).toBe(expected(SEGMENTS));
    expect(asked).toEqual([]);
  });

  it('writes its sums with the next request when the disk was full', async () => {
    let isFull = true;
    const files = {
      read: async () => null,
      write: vi.fn(async () => {
        if (isFull) throw new Error('ENOSPC');
      }),
    };
    const front = { ...startedFront(), keptFingerprints: new KeptFingerprints(files) };
    await read(front);
    isFull = false;
    await read(front);
    await read(front);
    expect(files.write).toHaveBeenCalledTimes(2);
  });

  it('reads deleted documents once, and new segments', async () => {
    await read(startedFront());
    const dead = { '1-a': [7, 4098] };
    expect(await read(startedFront({ dead }))).toBe(expected(SEGMENTS, dead));
    expect(summary()).toEqual(['1-a 0 dead', '1-a 4096 dead']);
    const other = { dead: { '1-a': [8, 4098] }, segments: ['1-a', '3-c'] };
    expect(await read(startedFront(other))).toBe(expected(other.segments, other.dead));
    expect(summary()).toEqual(['1-a 0 dead', '1-a 4096 dead', '3-c 0 all', '3-c 4096 all']);
    expect(await read(startedFront(other))).toBe(expected(other.segments, other.dead));
    expect(asked).toEqual([]);
  });

  it('goes on where an earlier request failed, also after a start', async () => {
    await expect(read(startedFront({}, 2))).rejects.toThrow('stopped');
    expect(await read(startedFront())).toBe(expected(SEGMENTS));
    expect(summary()).toEqual(['1-a 4096 all', '2-b 0 all', '2-b 4096 all']);
  });

  it('reads all documents again if its file is damaged', async () => {
    await read(startedFront());
    const file = join(folder, readdirSync(folder)[0] as string);
    const flipped = (_: string, digit: string) => `"sums":["${digit === '0' ? '1' : '0'}`;
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"sums":\["(.)/, flipped));
    expect(await read(startedFront())).toBe(expected(SEGMENTS));
    expect(asked).toHaveLength(4);
  });

  it('is answered where no file can be written', async () => {
    folder = '/proc/none/fingerprints';
    expect(await read(startedFront())).toBe(expected(SEGMENTS));
  });

  it('removes the files of deleted indexes', async () => {
    const files = new FingerprintFiles(folder);
    await files.write(98, {}, [98]);
    const front = startedFront();
    await read(front);
    const { manifest } = front.indexes.get('films') as { manifest: { id: number } };
    expect(readdirSync(folder)).toEqual([`${manifest.id}.json`]);
  });
});
