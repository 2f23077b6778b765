/**
 * Goal: long texts are found, ranked and shown within the limit of 65,535 positions an attribute.
 * Method: documents made of numbered words, so that each place in a text has a word of its own.
 */
import { describe, expect, it } from 'vitest';
import { buildSnapshot } from '../../support/build-snapshot.ts';
import { search, searchIds } from '../../support/search.ts';

/** Words of one attribute beyond this number are not indexed. */
const POSITIONS_MAX = 65_535;

const wordAt = (at: number): string => `word${at.toString(36)}x`;
const words = (count: number): string =>
  Array.from({ length: count }, (_, i) => wordAt(i)).join(' ');
const asked = (q: string) => ({ q, attributesToRetrieve: ['id', 'title'] });

describe('a document of 200,000 words', () => {
  const body = words(200_000);
  const snapshot = buildSnapshot({
    documents: [
      { id: 1, body, title: 'after the body' },
      { id: 2, body: 'short', title: 'another' },
    ],
  });

  it('is found by words up to the limit of positions, and by none behind it', () => {
    expect(searchIds(snapshot, asked(wordAt(0)))).toEqual([1]);
    expect(searchIds(snapshot, asked(wordAt(POSITIONS_MAX - 2)))).toEqual([1]);
    expect(searchIds(snapshot, asked(`"${wordAt(60_000)} ${wordAt(60_001)}"`))).toEqual([1]);
    expect(searchIds(snapshot, asked(`"${wordAt(POSITIONS_MAX + 1)}"`))).toEqual([]);
    expect(searchIds(snapshot, asked(`"${wordAt(199_999)}"`))).toEqual([]);
  });

  it('is found by attributes that follow the long one, and shows them alone', () => {
    expect(search(snapshot, asked('after')).hits).toEqual([{ id: 1, title: 'after the body' }]);
  });

  it('is shown whole where it is retrieved whole', () => {
    const [hit] = search(snapshot, { q: 'after' }).hits;
    expect(hit).toEqual({ id: 1, body, title: 'after the body' });
  });

  it('is cropped around a word far behind its start', () => {
    const { hits } = search(snapshot, {
      ...asked(`"${wordAt(50_000)}"`),
      attributesToCrop: ['body'],
      attributesToHighlight: ['body'],
      cropLength: 3,
    });
    const marked = `…${wordAt(49_999)} <em>${wordAt(50_000)}</em> ${wordAt(50_001)}…`;
    expect(hits).toMatchObject([{ id: 1, _formatted: { body: marked } }]);
  });
});

describe('a document of 5 MB', () => {
  const paragraphs = Array.from(
    { length: 100 },
    (_, i) => `${wordAt(i)} ${'lorem ipsum '.repeat(4200)}`,
  );
  const snapshot = buildSnapshot({
    documents: [
      { id: 1, parts: paragraphs, title: 'a whole library' },
      { id: 2, parts: ['lorem'], title: 'a leaf' },
    ],
  });

  it('is found by its first words and its other attributes', () => {
    expect(JSON.stringify(paragraphs).length).toBeGreaterThan(5_000_000);
    expect(searchIds(snapshot, asked(wordAt(3)))).toEqual([1]);
    expect(searchIds(snapshot, asked('library'))).toEqual([1]);
    expect(searchIds(snapshot, asked('lorem')).sort()).toEqual([1, 2]);
  });

  it('shows a short attribute alone', () => {
    expect(search(snapshot, asked('library')).hits).toEqual([{ id: 1, title: 'a whole library' }]);
  });
});

describe('10,000 documents of one repeated word', () => {
  const documents = Array.from({ length: 10_000 }, (_, i) => ({
    id: i,
    body: 'again '.repeat(1 + (i % 50)).trim(),
  }));
  const snapshot = buildSnapshot({ documents });

  it('are all found by the word, its beginning, and a phrase of it', () => {
    const totalOf = (q: string) => search(snapshot, { q })['estimatedTotalHits'];
    expect(totalOf('again')).toBe(10_000);
    expect(totalOf('a')).toBe(10_000);
    expect(totalOf('"again again"')).toBe(10_000 - 200);
  });

  it('are ranked by the rules: those with nothing but the word come first', () => {
    const ids = searchIds(snapshot, { q: 'again', limit: 200 }) as number[];
    expect(ids.every((id) => id % 50 === 0)).toBe(true);
  });
});

describe('books of 30,000 words', () => {
  const documents = Array.from({ length: 8 }, (_, book) => ({
    id: book,
    title: `book ${book}`,
    text: Array.from({ length: 30_000 }, (_, i) =>
      i % 3 === 0 ? 'the' : wordAt((i * 7 + book) % 9000),
    ).join(' '),
    closing: `closing${book} words`,
  }));
  const snapshot = buildSnapshot({ documents });

  it('are found by frequent words next to rare ones', () => {
    expect(searchIds(snapshot, asked('"the closing3"'))).toEqual([]);
    expect(searchIds(snapshot, asked('"closing3"'))).toEqual([3]);
    expect(searchIds(snapshot, { ...asked('the "closing3"'), matchingStrategy: 'all' })).toEqual([
      3,
    ]);
    expect(searchIds(snapshot, asked('the'))).toHaveLength(8);
  });
});
