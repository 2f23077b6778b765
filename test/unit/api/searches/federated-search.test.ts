/** What a federated search asks embedders for. */
import { expect, it } from 'vitest';
import { searchFederated } from '../../../../src/api/searches/federated-search.ts';
import { FULL_ACCESS } from '../../../../src/auth/access.ts';
import { ApiError } from '../../../../src/core/errors.ts';
import { createFakeApiContext } from '../../../support/fake-api-context.ts';
import { Gate } from '../../../support/gate.ts';

it('vectors of its queries side by side; the first without one is the last that is asked', async () => {
  const gate = new Gate();
  const asked: unknown[] = [];
  const embedQuery = async (_: unknown, __: string, { q }: { q: unknown }) => {
    if (asked.push(q) === 4) gate.release();
    await gate.pass();
    if (q === 'bad') throw new ApiError('vector_embedding_error', 'down');
    return Float32Array.of(asked.indexOf(q));
  };
  const context = Object.assign(createFakeApiContext(), { embedders: { embedQuery } });
  context.publish('films', { embedders: { e: { source: 'userProvided', dimensions: 1 } } });
  context.replies = [
    () => ({ ok: false, error: { code: 'internal', message: 'nobody searches here' } }),
  ];
  const searched = searchFederated(context, {
    queries: ['a', 'b', 'bad', 'c'].map((q) => ({
      ...{ indexUid: 'films', q },
      hybrid: { embedder: 'e', semanticRatio: 1 },
    })),
    federation: {},
    ...{ hasMetadata: false, isForPeer: false, access: FULL_ACCESS, foreignAccess: null },
    caller: { isAborted: false, requestUid: 'r', keyUid: null },
    facts: () => ({ processingTimeMs: 0, requestUid: 'r' }),
  });
  await expect(searched).rejects.toThrow('nobody searches here');
  expect(asked).toEqual(['a', 'b', 'bad', 'c']);
  expect(context.queries[0]?.work).toMatchObject({
    kind: 'federated',
    search: {
      queries: [
        { position: 0, request: { q: 'a', semantic: { vector: Float32Array.of(0) } } },
        { position: 1, request: { q: 'b', semantic: { vector: Float32Array.of(1) } } },
      ],
    },
  });
});
