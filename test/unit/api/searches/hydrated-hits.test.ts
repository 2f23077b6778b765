/** Documents of other indexes in hits of several instances: which are read, and the limits. */
import { describe, expect, it } from 'vitest';
import { AnswerSize } from '../../../../src/api/searches/answer-size.ts';
import { ForeignDocuments } from '../../../../src/api/searches/foreign-documents.ts';
import { hydratedHits } from '../../../../src/api/searches/hydrated-hits.ts';
import { FULL_ACCESS } from '../../../../src/auth/access.ts';
import { limits } from '../../../../src/core/limits.ts';
import { TimeSlices } from '../../../../src/core/time-slices.ts';
import type { QueryTask } from '../../../../src/ipc/queries/query-protocol.ts';
import { NO_FEATURES } from '../../../../src/model/features.ts';
import { RemoteSearches } from '../../../../src/network/remote-searches.ts';
import { createFakeApiContext } from '../../../support/fake-api-context.ts';

type Ids = readonly string[];
const range = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, i) => String(from + i));
const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

interface Setup {
  /** Ids that instances have. */
  readonly here?: Ids;
  readonly far?: Ids | 'down';
  /** Bytes of a text in each document. */
  readonly textBytes?: number;
  readonly answerBytesMax?: number;
}

/** Hydrates hits that name these ids, and returns their values. */
async function hydrate(
  hits: readonly Ids[],
  { here = [], far = [], textBytes = 0, answerBytesMax = Number.POSITIVE_INFINITY }: Setup,
) {
  const context = createFakeApiContext();
  context.features = { ...NO_FEATURES, foreignKeys: true };
  const remote = { url: 'http://far.example', searchApiKey: null, writeApiKey: null };
  context.network = { ...context.network, remotes: { far: remote } };
  const text = 't'.repeat(textBytes);
  const pageOf = (known: Ids, asked: Ids) => {
    const results = asked.filter((id) => known.includes(id)).map((id) => ({ id, text }));
    return bytesOf({ results, total: results.length });
  };
  const asked: { readonly here: Ids[]; readonly far: Ids[] } = { here: [], far: [] };
  context.replies = [
    ({ work }: QueryTask) => {
      if (work.kind !== 'documents') throw new Error(work.kind);
      const ids = work.request.ids ?? [];
      asked.here.push(ids);
      return { ok: true, body: pageOf(here, ids) };
    },
  ];
  const send = async ({ body }: { readonly body: Uint8Array }) => {
    const { ids } = JSON.parse(Buffer.from(body).toString()) as { readonly ids: Ids };
    asked.far.push(ids);
    if (far === 'down') return { status: 500, headers: {}, body: Buffer.from('{}') };
    return { status: 200, headers: {}, body: pageOf(far, ids) };
  };
  const remoteSearches = new RemoteSearches(send as never, 1000);
  context.publish('people');
  const foreignKeys = [{ fieldName: 'by', foreignIndexUid: 'people' }];
  const index = context.publish('films', { foreignKeys });
  const caller = { isAborted: false, requestUid: 'r', keyUid: null };
  const source = ForeignDocuments.of(Object.assign(context, { remoteSearches }), {
    ...{ access: FULL_ACCESS, caller, instances: ['far', null] },
  });
  if (source === null) throw new Error('foreign keys are off');
  const given = hits.map((by) => {
    const bytes = bytesOf({ by });
    return { bytes, start: 0, end: bytes.length };
  });
  const errors: Record<string, { readonly code: string }> = {};
  const shown = await hydratedHits(source, given, {
    indexOf: () => index,
    errors: errors as never,
    size: new AnswerSize({ answerBytesMax }, caller),
    slices: new TimeSlices(() => 0, {}),
  });
  const values = shown.flatMap(({ bytes, start, end }) => {
    return JSON.parse(Buffer.from(bytes.subarray(start, end)).toString()).by as unknown[];
  });
  return { values, asked, errors };
}

describe('documents in hits', () => {
  it('are read once each, from remote instances only if this one lacks them', async () => {
    const { values, asked, errors } = await hydrate(
      [
        ['1', '2'],
        ['2', '9'],
      ],
      {
        ...{ here: ['1'], far: ['1', '2'] },
      },
    );
    expect(asked).toEqual({ here: [['1', '2', '9']], far: [['2', '9']] });
    const two = { id: '2', text: '' };
    expect(values).toEqual([{ id: '1', text: '' }, two, two, {}]);
    expect(errors).toEqual({});
    expect((await hydrate([['1']], { here: ['1'], far: 'down' })).asked.far).toEqual([]);
    expect((await hydrate([[], ['no id']], { far: 'down' })).asked).toEqual({ here: [], far: [] });
  });

  it('of an instance that fails stay ids', async () => {
    const { values, errors } = await hydrate([['1', '2']], { here: ['1'], far: 'down' });
    expect(values).toEqual([{ id: '1', text: '' }, '2']);
    expect(errors).toMatchObject({ far: { code: 'remote_remote_error' } });
  });

  it('are limited in number, others stay ids', async () => {
    const ids = range(limits.foreignDocumentsMax + 5);
    const { values, asked } = await hydrate(
      ids.map((id) => [id]),
      { here: ids },
    );
    expect(values.filter((value) => typeof value === 'string')).toEqual(ids.slice(-5));
    expect(asked.here.every(({ length }) => length <= 100)).toBe(true);
  });

  it.each([
    ['different documents', range(20)],
    ['one document many times', Array.from({ length: 20 }, () => '1')],
  ])('are limited in bytes: %s', async (_, ids) => {
    const { values } = await hydrate(
      ids.map((id) => [id]),
      { here: range(20), textBytes: 1 << 20 },
    );
    expect(values.filter((value) => typeof value === 'object')).toHaveLength(15);
    expect(values.slice(15)).toEqual(ids.slice(15));
  });

  it('count as bytes of the answer', async () => {
    const setup = { here: ['1'], textBytes: 1000, answerBytesMax: 1500 };
    expect((await hydrate([['1']], setup)).values).toHaveLength(1);
    await expect(hydrate([['1'], ['1']], setup)).rejects.toMatchObject({
      code: 'response_too_large',
    });
  });
});
