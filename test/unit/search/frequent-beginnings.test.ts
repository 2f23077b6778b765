/** What is asked ahead: beginnings of words that segments have digests of, in the order of need. */
import { describe, expect, it } from 'vitest';
import type { SearchRequest } from '../../../src/model/search.ts';
import { AskedAhead } from '../../../src/search/asked-ahead.ts';
import { frequentBeginnings } from '../../../src/search/frequent-beginnings.ts';
import { buildSnapshot } from '../../support/build-snapshot.ts';
import { DIGEST_ALL } from '../../support/segment-file.ts';

const TITLES = ['the tide', 'the town', 'tea', 'bees', 'a bee', 'über das meer'];
const documents = TITLES.map((title, id) => ({ id, title }));
const settings = { searchableAttributes: ['title'] };
const snapshotWith = (segmentCount: number, own: object = {}) =>
  buildSnapshot({
    documents,
    settings: { ...settings, ...own },
    segmentCount,
    digests: DIGEST_ALL,
  });

/** Until `searches` have been made. */
function portsFor(searches: number, room = Number.POSITIVE_INFINITY) {
  const asked: SearchRequest[] = [];
  return {
    asked,
    search: (request: SearchRequest) => void asked.push(request),
    hasTime: () => asked.length % searches !== 0,
    hasRoom: () => asked.length < room,
  };
}

describe('frequent beginnings', () => {
  it.each([1, 2])(
    'are first letters by documents, then longer ones, of %d segments',
    (segments) => {
      const found = frequentBeginnings(snapshotWith(segments));
      expect(found.slice(0, 2)).toEqual(['t', 'b']);
      const lengths = found.map((text) => [...text].length);
      expect(lengths.lastIndexOf(1)).toBe(lengths.findIndex((length) => length > 1) - 1);
      expect(found).toContain('th');
      expect(found).toContain('tid');
      expect(new Set(found).size).toBe(found.length);
    },
  );

  it('are none where segments have no digests', () => {
    expect(frequentBeginnings(buildSnapshot({ documents, settings }))).toEqual([]);
  });
});

describe('AskedAhead', () => {
  const all = frequentBeginnings(snapshotWith(1));

  it('asks in slices, each beginning once for a snapshot, as the index is asked by default', () => {
    const ahead = new AskedAhead();
    const snapshot = snapshotWith(1, { matchingStrategy: 'any' });
    const ports = portsFor(3);
    expect(ahead.ask(snapshot, ports)).toEqual({ asked: 3, left: all.length - 3 });
    while (ahead.ask(snapshot, ports).left > 0);
    expect(ports.asked.map(({ q }) => q)).toEqual(all);
    expect(ports.asked[0]).toMatchObject({ matchingStrategy: 'any', limit: 20 });
    expect(ahead.ask(snapshot, ports)).toEqual({ asked: 0, left: 0 });
    expect(ahead.ask(snapshotWith(1), ports).asked).toBeGreaterThan(0);
  });

  it('ends when there is no room for what more would find', () => {
    const ports = portsFor(100, 2);
    const snapshot = snapshotWith(1);
    const ahead = new AskedAhead();
    expect(ahead.ask(snapshot, ports)).toEqual({ asked: 2, left: 0 });
    expect(ahead.ask(snapshot, ports)).toEqual({ asked: 0, left: 0 });
  });
});
