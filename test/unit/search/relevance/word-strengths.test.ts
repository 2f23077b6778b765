/** Documents by the score of a word (relevance.md 3.15), the source of score bounds. */
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../../../src/core/deadline.ts';
import { encodeManifest } from '../../../../src/model/index-manifest.ts';
import { vocabularyOf } from '../../../../src/search/query/vocabulary.ts';
import { saturated } from '../../../../src/search/relevance/bm25f.ts';
import type { WordClass } from '../../../../src/search/relevance/query-units.ts';
import { strengthsOf } from '../../../../src/search/relevance/word-strengths.ts';
import type { IndexSnapshot } from '../../../../src/search/snapshot/index-snapshot.ts';
import { SnapshotCache } from '../../../../src/search/snapshot/snapshot-cache.ts';
import { TestIndex } from '../../indexing/support.ts';

const settings = { searchableAttributes: ['text'] };

const classOf = (
  snapshot: IndexSnapshot,
  words: readonly string[],
  relatives: readonly string[] = [],
): WordClass => ({
  weight: 1,
  words: words.map((text) => vocabularyOf(snapshot).find(text)!),
  relatives: relatives.map((text) => vocabularyOf(snapshot).find(text)!),
  ranges: null,
  except: null,
  phrases: [],
  scope: snapshot.everywhere,
});

/** Score bound of the word by document; the first matching set counts. */
function mostByDocument(snapshot: IndexSnapshot, text: string): Map<number, number> {
  const own = classOf(snapshot, [text]);
  const { strong, otherMost } = strengthsOf(snapshot, own, Deadline.never())!;
  const most = new Map<number, number>();
  const holding = snapshot.live.toList().filter((doc) => documentsOf(snapshot, own).has(doc));
  for (const doc of holding)
    most.set(doc, strong.find(({ docs }) => docs.has(doc))?.most ?? otherMost);
  return most;
}

function documentsOf({ segments }: IndexSnapshot, { words: [word] }: WordClass): Set<number> {
  return new Set(
    segments.flatMap((segment, s) =>
      word!.ordinals[s]! < 0 ? [] : [...segment.postings.readDocuments(word!.ordinals[s]!)],
    ),
  );
}

const saidIn = (words: readonly string[], text: string, average: number): number => {
  const count = words.filter((word) => word === text).length;
  return saturated(count / (0.25 + (0.75 * words.length) / average));
};

const texts = Array.from({ length: 60 }, (_, i) =>
  [...new Array<string>(1 + (i % 5)).fill('lamp'), ...new Array<string>(i % 9).fill('x')].join(' '),
);
const documents = texts.map((text, id) => ({ id, text }));

describe('strengths of a word', () => {
  it('are no less than its score, and not much more in most documents', async () => {
    const index = new TestIndex({ settings });
    await index.apply(index.upsert(documents));
    const snapshot = opened(index, new SnapshotCache(() => index.directory, 1 << 20));
    const lists = texts.map((text) => text.split(' '));
    const average = lists.reduce((sum, words) => sum + words.length, 0) / lists.length;
    const most = mostByDocument(snapshot, 'lamp');
    const said = lists.map((words) => saidIn(words, 'lamp', average));
    expect(most.size).toBe(texts.length);
    expect(new Set(most.values()).size).toBe(4);
    said.forEach((own, doc) => {
      expect(most.get(doc), texts[doc]).toBeGreaterThanOrEqual(own - 1e-6);
    });
    const loose = said.filter((own, doc) => most.get(doc)! > 1.45 * own);
    expect(loose.length).toBeLessThan(said.length / 3);
  });

  it('are those of the current documents after changes', async () => {
    const index = new TestIndex({ settings });
    const kept = new SnapshotCache(() => index.directory, 1 << 20);
    await index.apply(index.upsert(documents));
    mostByDocument(opened(index, kept), 'lamp');
    await index.apply(
      index.upsert([
        { id: 3, text: 'x lamp x' },
        { id: 90, text: 'lamp lamp' },
      ]),
    );
    const renewed = mostByDocument(opened(index, kept), 'lamp');
    const found = mostByDocument(
      opened(index, new SnapshotCache(() => index.directory, 1 << 20)),
      'lamp',
    );
    expect(renewed).toEqual(found);
    expect(renewed.size).toBe(texts.length + 1);
  });

  it('depend on the role of the words, not on earlier queries with the same words', async () => {
    const index = new TestIndex({ settings });
    const lengths = Array.from({ length: 200 }, (_, i) => [1 + (i % 7), i % 23] as const);
    const filled = lengths.map(([lamps, fillers], id) => ({
      id,
      text: `${'lamp '.repeat(lamps)}${'x '.repeat(fillers)}`,
    }));
    await index.apply(index.upsert([...filled, { id: 200, text: 'lantern' }]));
    const snapshotAnew = () => opened(index, new SnapshotCache(() => index.directory, 1 << 20));
    const strong = (snapshot: IndexSnapshot, words: string[], relatives: string[]) => {
      const own = classOf(snapshot, words, relatives);
      const found = strengthsOf(snapshot, own, Deadline.never())!;
      return found.strong.map(({ docs, most }) => [most, [...docs.toList()]]);
    };
    const snapshot = snapshotAnew();
    const asRelative = strong(snapshot, ['lantern'], ['lamp']);
    const asWord = strong(snapshot, ['lantern', 'lamp'], []);
    expect(asWord).not.toEqual(asRelative);
    expect(asWord).toEqual(strong(snapshotAnew(), ['lantern', 'lamp'], []));
  });

  it('are not computed after the deadline', async () => {
    const index = new TestIndex({ settings });
    await index.apply(index.upsert(documents));
    const snapshot = opened(index, new SnapshotCache(() => index.directory, 1 << 20));
    const late = Deadline.after(0, () => 0);
    expect(strengthsOf(snapshot, classOf(snapshot, ['lamp']), late)).toBeNull();
  });
});

function opened({ manifest, location }: TestIndex, cache: SnapshotCache): IndexSnapshot {
  const bytes = encodeManifest(manifest);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return cache.get(`1:${manifest.generation}`, shared, location);
}
