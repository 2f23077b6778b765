/** The merge of a federated search in a front ends with its request and costs what its page needs. */
import { expect, it } from 'vitest';
import {
  type FederationPlan,
  writeFederatedAnswer,
} from '../../../../src/api/searches/federated-answer.ts';
import type { IndexAnswer } from '../../../../src/api/searches/index-answer.ts';
import { TimeSlices } from '../../../../src/core/time-slices.ts';
import type { FederatedHit } from '../../../../src/model/federation.ts';

const BYTES = new TextEncoder().encode('{}');
const PLAN = {
  page: { offset: 0, limit: 2 },
  isDistinct: false,
  grouping: null,
  isPartOfGroups: false,
  queriedUids: new Set(['i0', 'i1']),
  retrievesVectors: false,
  mergeFacets: null,
  remoteErrors: null,
  rerank: null,
  hydrate: null,
  plainQuery: null,
} satisfies FederationPlan;
const facts = () => ({ requestUid: 'r', processingTimeMs: 0 });
const never = () => new TimeSlices(() => 0, {});

const hit = (position: number, value: number): FederatedHit => ({
  position,
  score: { elements: [{ kind: 'score', value }], total: value },
  pin: null,
  isSemantic: false,
  distinctValues: [`v${value}`],
  group: null,
  start: 0,
  end: BYTES.length,
});
const answer = (position: number, hits: readonly FederatedHit[]): IndexAnswer => ({
  indexUid: `i${position}`,
  bytes: BYTES,
  remote: null,
  part: {
    ...{ queries: [], hits, candidateCount: hits.length, groupedCount: null, facets: null },
    ...{ groupFacts: null, precedingGroups: [] },
  },
});
const lists = (count: number, hits: number): IndexAnswer[] =>
  Array.from({ length: count }, (_, position) =>
    answer(
      position,
      Array.from({ length: hits }, (_, i) => hit(position, 1 - i / hits)),
    ),
  );
const written = async (answers: readonly IndexAnswer[], plan: FederationPlan, slices = never()) =>
  JSON.parse(Buffer.concat(await writeFederatedAnswer(answers, plan, slices, facts)).toString());

it('gives up in the middle of a merge when the client has left or the time is over', async () => {
  let nowMs = 0;
  const end = new AbortController();
  const slices = new TimeSlices(() => nowMs++, end);
  setImmediate(() => end.abort(new Error('the request has ended')));
  const page = { offset: 0, limit: 100_000 };
  const work = written(lists(100, 100), { ...PLAN, page }, slices);
  await expect(work).rejects.toThrow('the request has ended');
});

it('gives up between the facets of two indexes', async () => {
  let nowMs = 0;
  const end = new AbortController();
  const slices = new TimeSlices(() => nowMs++, end);
  setImmediate(() => end.abort(new Error('the request has ended')));
  const values = new Map([['a', 1]]);
  const table = { path: 'genre', order: 'alpha', isOrderSet: true, values, stats: null } as const;
  const answers = Array.from({ length: 100 }, (_, i) => {
    const { part, ...rest } = answer(i, []);
    return { ...rest, part: { ...part, facets: [table] } };
  });
  const work = written(answers, { ...PLAN, mergeFacets: { valuesMax: null } }, slices);
  await expect(work).rejects.toThrow('the request has ended');
});

it('compares no more hits than the page needs', async () => {
  let reads = 0;
  const hits = Array.from({ length: 50 }, (_, i): FederatedHit => {
    const made = hit(i % 2, 1);
    const { elements } = made.score;
    const score = {
      total: 1,
      get elements() {
        reads += 1;
        return elements;
      },
    };
    return { ...made, score };
  });
  const json = await written([answer(0, hits), answer(1, [hit(1, 1)])], PLAN);
  expect(json).toMatchObject({ hits: [{}, {}], estimatedTotalHits: 51 });
  expect(reads).toBeLessThan(20);
});

it('counts hits that share a distinct value beyond the page', async () => {
  const json = await written(lists(3, 4), { ...PLAN, isDistinct: true });
  expect(json).toMatchObject({ hits: [{}, {}], estimatedTotalHits: 4 });
});
