/** Times of the texts of a column, in cached blocks. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldValues } from '../../../src/search/snapshot/field-values.ts';
import type { IndexSnapshot } from '../../../src/search/snapshot/index-snapshot.ts';
import {
  type TimedValues,
  timedValues,
  timeRange,
} from '../../../src/search/values/date-values.ts';
import { CountedDocuments } from '../../../src/search/values/segment-counts.ts';
import { buildPlacedSnapshot, buildSnapshot } from '../../support/build-snapshot.ts';
import { amount } from '../../support/run-length.ts';

const settings = { filterableAttributes: ['at'] };
const snapshotOf = (dates: readonly unknown[]): IndexSnapshot =>
  buildSnapshot({ documents: dates.map((at, id) => ({ id, at })), settings });

/** Blocks of four texts. */
const BLOCK_BITS = 2;
const timedIn = (snapshot: IndexSnapshot, check = (): void => undefined): TimedValues[] =>
  timedValues(snapshot, new FieldValues(snapshot, 'at'), check, BLOCK_BITS);

const timesOf = (timed: TimedValues): number[] =>
  Array.from({ length: timed.values.count }, (_, ordinal) => timed.timeOf(ordinal));

const SECOND = Date.UTC(2024, 1, 28, 23, 59, 50);
const MAX_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const textOf = (timeMs: number): string => new Date(timeMs).toISOString();
const NEAR = fc.integer({ min: 0, max: 20_000 }).map((ms) => textOf(SECOND + ms));
const WHOLE_SECONDS = fc
  .integer({ min: 0, max: 2 ** 31 })
  .map((seconds) => textOf(seconds * 1000).replace('.000', ''));
const FAR = fc.integer({ min: Date.UTC(1000, 0), max: MAX_MS }).map(textOf);
const WITH_OFFSET = NEAR.map((text) => text.replace('Z', '+02:00'));
const NO_DATE = fc.constantFrom('never', '2024-02-30', '20');

const CORPORA = fc.oneof(
  ...[
    NEAR,
    WHOLE_SECONDS,
    FAR,
    fc.oneof(NEAR, WITH_OFFSET),
    fc.oneof(FAR, WHOLE_SECONDS),
    fc.oneof(NEAR, NO_DATE),
  ].map((texts) => fc.array(texts, { minLength: 1, maxLength: 40 })),
);

const parsed = (text: string): number =>
  /^\d{4}-\d\d-\d\dt/i.test(text) ? Date.parse(text.toUpperCase()) : Number.NaN;

describe('times of texts', () => {
  it('are those that JavaScript reads, in whichever form a block stores them', () => {
    fc.assert(
      fc.property(CORPORA, (texts) => {
        const [timed] = timedIn(snapshotOf(texts));
        const { values } = timed as TimedValues;
        const expected = Array.from({ length: values.count }, (_, ordinal) =>
          parsed((values as { textAt(ordinal: number): string } & typeof values).textAt(ordinal)),
        );
        expect(timesOf(timed as TimedValues)).toEqual(expected);
      }),
      { numRuns: amount(60, 5000) },
    );
  });

  it('are found by search over all blocks where they ascend', () => {
    fc.assert(
      fc.property(CORPORA, fc.nat(40), fc.nat(40), (texts, at, from) => {
        const [timed] = timedIn(snapshotOf(texts)) as [TimedValues];
        const times = timesOf(timed);
        const isAscending = times.every((time, i) => i === 0 || time >= (times[i - 1] ?? 0));
        expect(timed.doAscend).toBe(isAscending && !Number.isNaN(times[0]));
        if (!timed.doAscend) return;
        const start = Math.min(from, times.length);
        for (const shift of [-1, 0, 1]) {
          const wanted = (times[at % times.length] ?? 0) + shift;
          const place = times.findIndex((time) => time >= wanted);
          const expected = Math.max(start, place < 0 ? times.length : place);
          expect(timed.lowerBoundFrom(wanted, start)).toBe(expected);
          expect(timed.lowerBoundFrom(wanted, start, start + at)).toBe(expected);
        }
      }),
      { numRuns: amount(60, 5000) },
    );
  });

  it('have a range, without deleted documents and values that are no dates', () => {
    const dates = fc.oneof(NEAR, WITH_OFFSET, NO_DATE, fc.constantFrom(1e15, -1e15, 5.5, 8e9));
    const row = fc.record({ at: fc.array(dates, { maxLength: 3 }), isDead: fc.boolean() });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 20 }), (rows) => {
        const placed = rows.map(({ at, isDead }, docId) => ({
          docId,
          document: { id: docId, at },
          isDead,
        }));
        const snapshot = buildPlacedSnapshot({ segments: [placed], settings });
        const times = rows
          .filter(({ isDead }) => !isDead)
          .flatMap(({ at }): unknown[] => at)
          .map((at) => (typeof at === 'number' ? at * 1000 : parsed(String(at))))
          .filter((timeMs) => Math.abs(timeMs) <= MAX_MS)
          .sort((a, b) => a - b);
        const expected =
          times.length === 0 ? null : { fromMs: times[0], toMs: times[times.length - 1] };
        expect(timeRange(timedIn(snapshot), new CountedDocuments(snapshot.live))).toEqual(expected);
      }),
      { numRuns: amount(60, 5000) },
    );
  });

  it('are read once, block by block', () => {
    const snapshot = snapshotOf(Array.from({ length: 11 }, (_, i) => textOf(SECOND + i)));
    let count = 0;
    const read = (): number => {
      count = 0;
      timedIn(snapshot, () => {
        count++;
      });
      return count;
    };
    expect([read(), read()]).toEqual([11, 0]);
  });
});
