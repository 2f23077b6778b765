/** What a search says about where its time went (api.md 6.2). */
import { expect, it } from 'vitest';
import { Deadline } from '../../../src/core/deadline.ts';
import { StepTimes } from '../../../src/core/step-times.ts';
import { writeSearchAnswer } from '../../../src/search/answer/write-answer.ts';
import { executeSearch } from '../../../src/search/execute-search.ts';
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
  const { bytes } = writeSearchAnswer(snapshot, request, outcome, facts, times);
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

it('names the indexes of a federated search, which tells nothing unasked', async () => {
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
