/** Goal: reading words of documents and reading lists of terms find the same records. */
import { describe, expect, it } from 'vitest';
import type { TermsOfClass } from '../../../../src/search/matching/node-terms.ts';
import { RecordList } from '../../../../src/search/matching/occurrence-records.ts';
import { readTerms } from '../../../../src/search/matching/read-terms.ts';
import { DocSet } from '../../../../src/search/sets/doc-set.ts';
import { SCRATCH } from '../../../../src/search/sets/search-scratch.ts';
import type { IndexSnapshot } from '../../../../src/search/snapshot/index-snapshot.ts';
import { buildPlacedSnapshot, type PlacedDocument } from '../../../support/build-snapshot.ts';

const COUNT = 3000;

const textOf = (doc: number): string =>
  `${doc % 7 === 0 ? 'rare, ' : ''}the sea the ship${doc % 3} and the shore. The end`;

const copies = (from: number, step: number, isDead: boolean): PlacedDocument[] =>
  Array.from({ length: COUNT / step }, (_, i) => from + i * step).map((docId) => ({
    docId,
    isDead,
    document: { id: docId, title: `${docId % 2 ? 'the ' : ''}title`, text: textOf(docId) },
  }));

/** Two segments, and dead copies of some documents of the second one in a third. */
const snapshotOf = (): IndexSnapshot =>
  buildPlacedSnapshot({
    segments: [copies(0, 2, false), copies(1, 2, false), copies(1, 10, true)],
    settings: { searchableAttributes: ['title', 'text'] },
  });

/** The same as of files that have none. */
function withoutForward(snapshot: IndexSnapshot): IndexSnapshot {
  const segments = snapshot.segments.map(
    (segment) =>
      new Proxy(segment, {
        get: (target, name) => {
          if (name === 'forward') return null;
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      }),
  );
  return { ...snapshot, segments };
}

/** By beginning of words and document: `key class` of each record. */
function records(
  snapshot: IndexSnapshot,
  docs: DocSet,
  beginnings: readonly string[],
): string[][][] {
  const wanted = beginnings.map((beginning, recordClass) => ({
    terms: snapshot.segments.map(({ terms }): TermsOfClass[] => [
      { ...terms.prefixRange(new TextEncoder().encode(beginning)), recordClass },
    ]),
    records: new RecordList(),
  }));
  docs.withBits(SCRATCH.universe, (candidates) => {
    for (const each of wanted) readTerms(snapshot, each, { docs, candidates });
  });
  return wanted.map((each) => {
    const { offsets, keys, classes } = each.records.groupBySlot(
      Int32Array.from({ length: COUNT }, (_, doc) => doc),
      COUNT,
    );
    return Array.from({ length: COUNT }, (_, doc) =>
      Array.from(
        keys.subarray(offsets[doc], offsets[doc + 1]),
        (key, i) => `${key} ${classes[offsets[doc]! + i]}`,
      ).sort(),
    );
  });
}

describe('reading terms in some documents', () => {
  const snapshot = snapshotOf();
  const lists = withoutForward(snapshot);
  const some = (...docs: number[]): DocSet =>
    DocSet.fromList(Uint32Array.from(docs), snapshot.bitsetLength);

  it.each([
    ['of one document', some(14)],
    ['of documents in several segments, one with a dead copy', some(1, 2, 11, 40, 2999)],
    ['of all documents', snapshot.live],
  ])('finds the same %s', (_, docs) => {
    const beginnings = ['the', 's', 'sh', 'rare', 'end'];
    const found = records(snapshot, docs, beginnings);
    expect(found).toEqual(records(lists, docs, beginnings));
    expect(found[0]!.filter((own) => own.length > 0)).toHaveLength(docs.count);
  });

  it('finds a word for each of several uses', () => {
    const [s, sh] = records(snapshot, some(5), ['s', 'sh']);
    expect(s![5]).toHaveLength(3);
    expect(sh![5]).toHaveLength(2);
  });
});
