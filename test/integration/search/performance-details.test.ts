/** Performance details of searches (api.md 6.2). */
import { expect, it } from 'vitest';
import { Deadline } from '../../../src/core/deadline.ts';
import { StepTimes } from '../../../src/core/step-times.ts';
import { DEFAULT_SEARCH_REQUEST } from '../../../src/model/search.ts';
import { writeSearchAnswer, writeSimilarAnswer } from '../../../src/search/answer/write-answer.ts';
import { executeSearch } from '../../../src/search/execute-search.ts';
import { similarDocuments } from '../../../src/search/similar-documents.ts';
import { buildSnapshot } from '../../support/build-snapshot.ts';
import { multiSearchOver } from '../../support/multi-search.ts';
import { indexTexts } from '../../support/search.ts';
import { searchRequest } from '../../support/search-request.ts';

const aTime = expect.stringMatching(/^\d+\.\d\dms$/);

it('names the steps of a search in their order', () => {
  const snapshot = indexTexts({ one: 'red harbour' });
  const request = searchRequest({ q: 'harbour' });
  let nowMs = 0;
  const times = new StepTimes(() => nowMs++);
  const outcome = executeSearch(snapshot, request, Deadline.never(), times);
  const facts = () => ({
    requestUid: 'request',
    processingTimeMs: 0,
    performanceDetails: times.details,
  });
  const { bytes } = writeSearchAnswer(snapshot, request, outcome, facts, { times });
  const { performanceDetails } = JSON.parse(new TextDecoder().decode(bytes));
  expect(Object.entries(performanceDetails)).toEqual([
    ['search > filter', '1.00ms'],
    ['search > read the query', '1.00ms'],
    ['search > find documents', '1.00ms'],
    ['search > rank', '1.00ms'],
    ['answer > hits', '1.00ms'],
    ['answer > facets', '1.00ms'],
  ]);
});

it('names the steps of a search for similar documents', () => {
  const snapshot = buildSnapshot({
    documents: [1, 2].map((id) => ({ id, _vectors: { e: [id, 1] } })),
    settings: { embedders: { e: { source: 'userProvided', dimensions: 2 } } },
  });
  const request = { ...DEFAULT_SEARCH_REQUEST, id: '1', embedder: 'e', binding: null };
  let nowMs = 0;
  const times = new StepTimes(() => nowMs++);
  const found = similarDocuments(snapshot, request, Deadline.never(), times);
  const facts = () => ({ processingTimeMs: 0, performanceDetails: times.details });
  const answer = writeSimilarAnswer(snapshot, request, found, facts, { times });
  const { hits, performanceDetails } = JSON.parse(new TextDecoder().decode(answer));
  expect(hits).toEqual([{ id: 2 }]);
  expect(Object.entries(performanceDetails)).toEqual([
    ['search > filter', '1.00ms'],
    ['search > rank by meaning', '1.00ms'],
    ['answer > hits', '1.00ms'],
  ]);
});

it('names the indexes of a federated search, and is absent unless requested', async () => {
  const { merged } = multiSearchOver({
    films: { documents: [{ id: 1, title: 'red harbour' }] },
    books: { documents: [{ id: 1, title: 'harbour' }] },
  });
  const queries = [
    { indexUid: 'films', q: 'harbour' },
    { indexUid: 'books', q: 'harbour' },
  ];
  const asked = await merged(queries, { showPerformanceDetails: true });
  expect(asked['performanceDetails']).toEqual({
    'search > films': aTime,
    'search > books': aTime,
    search: aTime,
    merge: aTime,
  });
  expect(await merged(queries)).not.toHaveProperty('performanceDetails');
});

it('lists microseconds and candidates of each stage and each ranking rule', () => {
  const snapshot = indexTexts({ one: 'red harbour', two: 'harbour', three: 'blue sea' });
  const request = { ...searchRequest({ q: 'harbour' }), showProfile: true };
  let nowMs = 0;
  const times = new StepTimes(() => nowMs++);
  const outcome = executeSearch(snapshot, request, Deadline.never(), times);
  const facts = () => ({ requestUid: 'r', processingTimeMs: 0 });
  writeSearchAnswer(snapshot, request, outcome, facts, { times });
  const { stages } = times;
  const candidates = stages.map(({ stage, candidates: count, calls }) => [stage, count, calls]);
  expect(candidates.slice(0, 3)).toEqual([
    ['search > filter', 3, undefined],
    ['search > read the query', 3, undefined],
    ['search > find documents', 2, undefined],
  ]);
  expect(candidates).toContainEqual(['search > rank', 2, undefined]);
  expect(candidates).toContainEqual(['search > rank > words', 2, expect.any(Number)]);
  const [filter] = stages;
  expect(filter?.microseconds).toBe(1000);
  expect(stages.at(-1)?.stage).toBe('answer > facets');
});
