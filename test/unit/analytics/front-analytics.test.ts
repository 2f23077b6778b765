/** The buffer of a front: batches in order, bounds, losses that are counted. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FrontAnalytics } from '../../../src/analytics/front-analytics.ts';
import type {
  AnalyticsBatch,
  EventRow,
  ReportRequest,
  SearchRow,
} from '../../../src/model/analytics.ts';

const search = (query: string): SearchRow => ({
  index: 'films',
  at: 1,
  query,
  filter: '',
  hits: 1,
  ms: 1,
});
const REQUEST: ReportRequest = {
  from: '2026-11-01',
  to: '2026-11-02',
  by: 'day',
  kind: 'top',
  indexes: [],
  offset: 0,
  limit: 20,
};
const click: EventRow = { index: 'films', at: 1, type: 'click', name: 'Clicked' };

let batches: AnalyticsBatch[];
let warnings: string[];
let send: () => Promise<void>;
let front: FrontAnalytics;
beforeEach(() => {
  vi.useFakeTimers();
  batches = [];
  warnings = [];
  send = async () => undefined;
  front = new FrontAnalytics({
    folder: '',
    thread: { run: async () => 'the report', destroy: async () => undefined },
    send: (batch) => {
      batches.push(batch);
      return send();
    },
    log: { warn: (message) => warnings.push(message) },
  });
  front.start();
});
afterEach(async () => {
  await front.stop();
  vi.useRealTimers();
});

const values = () => front.metrics().map(({ values: [sample] }) => sample?.value);
const sent = () => batches.map(({ searches }) => searches.map(({ query }) => query));

describe('the buffer', () => {
  it('is sent every second, and not when empty', async () => {
    front.searched(search('a'));
    front.searched(search('b'));
    front.happened(click);
    await vi.advanceTimersByTimeAsync(3000);
    expect(sent()).toEqual([['a', 'b']]);
    expect(batches[0]?.events).toEqual([click]);
    front.searched(search('c'));
    await front.stop();
    expect(sent()).toEqual([['a', 'b'], ['c']]);
    expect(values()).toEqual([4, 0]);
  });

  it('makes or holds 16 reports, and refuses further ones until one has ended', async () => {
    let end = (): void => undefined;
    const ended = new Promise<string>((done) => (end = () => done('the report')));
    const busy = new FrontAnalytics({
      folder: '',
      thread: { run: () => ended, destroy: async () => undefined },
      send: async () => undefined,
      log: { warn: () => undefined },
    });
    const reports = Array.from({ length: 16 }, () => busy.report(REQUEST));
    await expect(busy.report(REQUEST)).rejects.toMatchObject({ code: 'too_many_search_requests' });
    end();
    await Promise.all(reports);
    await expect(busy.report(REQUEST)).resolves.toBe('the report');
  });

  it('waits for the indexer with later rows', async () => {
    let resolve = (): void => undefined;
    send = () => new Promise((done) => (resolve = done));
    front.searched(search('a'));
    await vi.advanceTimersByTimeAsync(1000);
    front.searched(search('b'));
    await vi.advanceTimersByTimeAsync(5000);
    expect(sent()).toEqual([['a']]);
    send = async () => undefined;
    resolve();
    await vi.advanceTimersByTimeAsync(1000);
    expect(sent()).toEqual([['a'], ['b']]);
  });

  it('drops and counts rows beyond 20,000, and batches that the indexer did not take', async () => {
    for (let i = 0; i < 20_005; i++) front.searched(search('a'));
    expect(values()).toEqual([20_005, 5]);
    send = () => Promise.reject(new Error('no indexer'));
    await vi.advanceTimersByTimeAsync(1000);
    expect(values()).toEqual([20_005, 20_005]);
    expect(warnings).toEqual(['analytics lost 20000 rows: no indexer']);
    front.searched(search('lost, too'));
    await vi.advanceTimersByTimeAsync(1000);
    expect(warnings).toHaveLength(1);
    send = async () => undefined;
    front.searched(search('b'));
    await vi.advanceTimersByTimeAsync(1000);
    expect(sent().at(-1)).toEqual(['b']);
    expect(values()).toEqual([20_007, 20_006]);
  });
});
