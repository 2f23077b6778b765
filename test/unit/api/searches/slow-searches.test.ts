/** What the log says of searches that take long. */
import { expect, it } from 'vitest';
import { logIfSlow } from '../../../../src/api/searches/slow-searches.ts';
import { DEFAULT_SEARCH_REQUEST } from '../../../../src/model/search.ts';
import { createLogger } from '../../../../src/observability/logger.ts';
import { createFakeApiContext } from '../../../support/fake-api-context.ts';
import { searchFilter } from '../../../support/search-request.ts';

function linesFor(slowSearchMs: number, milliseconds: number, q = 'carol'): unknown[] {
  const lines: unknown[] = [];
  const logger = createLogger({
    level: 'info',
    mode: 'JSON',
    name: 'front',
    write: (line) => lines.push(JSON.parse(line)),
  });
  const context = { ...createFakeApiContext({ slowSearchMs }), logger };
  logIfSlow(context, {
    indexUid: 'films',
    work: {
      kind: 'search',
      request: {
        ...DEFAULT_SEARCH_REQUEST,
        q,
        filter: searchFilter(['year > 1990']),
      },
      requestUid: 'r1',
      spentMs: 0,
    },
    reply: { ok: true, body: new Uint8Array(), workMs: 90, steps: { 'search > rank': 80.123 } },
    caller: { isAborted: false, requestUid: 'r1', keyUid: 'k1' },
    milliseconds,
  });
  return lines;
}

it('one line with the request, the uid of the key, what was asked for, and its steps', () => {
  expect(linesFor(100, 100)).toMatchObject([
    {
      level: 'WARN',
      part: 'search',
      msg: 'slow search',
      request: 'r1',
      key: 'k1',
      index: 'films',
      kind: 'search',
      q: 'carol',
      filter: '["year > 1990"]',
      ms: 100,
      waitMs: 10,
      steps: { 'search > rank': 80.12 },
    },
  ]);
});

it('nothing of faster ones, and of none where the limit is 0', () => {
  expect(linesFor(100, 99.9)).toEqual([]);
  expect(linesFor(0, 1e6)).toEqual([]);
});

it('cuts long words', () => {
  expect(linesFor(1, 100, 'x'.repeat(1000))).toMatchObject([{ q: 'x'.repeat(200) }]);
});
