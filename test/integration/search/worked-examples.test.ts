/** The worked examples of docs/relevance.md are true. */
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/core/errors.ts';
import { createAnalyzer } from '../../../src/engine/analysis/analyzer.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../../src/model/settings.ts';
import type { IndexSnapshot } from '../../../src/search/snapshot/index-snapshot.ts';
import {
  indexDocuments,
  search,
  searchBuckets,
  searchDetails,
  searchIds,
  searchScores,
} from '../../support/search.ts';
import type { Asked } from '../../support/search-request.ts';
import {
  documentsOf,
  type ExampleSearch,
  type ExampleText,
  workedExamples,
} from '../../support/worked-examples.ts';

const examples = workedExamples('docs/relevance.md');

/** Typo settings may be given in part. */
const settingsOf = ({ typoTolerance, ...others }: Partial<Settings> = {}): Settings => ({
  ...DEFAULT_SETTINGS,
  ...others,
  typoTolerance: { ...DEFAULT_SETTINGS.typoTolerance, ...typoTolerance },
});

function refusalOf(index: IndexSnapshot, asked: Asked): string {
  try {
    search(index, asked);
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
  return 'accepted';
}

function checkSearch(index: IndexSnapshot, expected: ExampleSearch): void {
  const asked: Asked = typeof expected.ask === 'string' ? { q: expected.ask } : expected.ask;
  const { hits, scores, details, buckets = {}, formatted = {}, answer, error } = expected;
  if (error !== undefined) expect(refusalOf(index, asked)).toBe(error);
  if (hits) expect(searchIds(index, asked)).toEqual(hits);
  for (const [id, score] of Object.entries(scores ?? {}))
    expect(searchScores(index, asked).get(id)).toBeCloseTo(score, 6);
  for (const [id, part] of Object.entries(details ?? {}))
    expect(searchDetails(index, asked).get(id)).toMatchObject(part);
  for (const [rule, ids] of Object.entries(buckets))
    expect(searchBuckets(index, rule, asked)).toEqual(ids);
  for (const [id, part] of Object.entries(formatted))
    expect(search(index, asked).hits.find((hit) => hit.id === id)).toMatchObject({
      _formatted: part,
    });
  if (answer) expect(search(index, asked)).toMatchObject(answer);
}

function checkText(settings: Settings, { text, words, locales }: ExampleText): void {
  const utf8 = new TextEncoder().encode(text);
  const found: string[] = [];
  createAnalyzer(settings).indexWords(utf8, 0, utf8.length, 0, locales ?? null, {
    word: (lemma, length, _hash, position) =>
      void found.push(`${new TextDecoder().decode(lemma.slice(0, length))}@${position}`),
  });
  expect(found.join(' ')).toBe(words);
}

describe('docs/relevance.md', () => {
  it('has examples', () => {
    expect(examples.length).toBeGreaterThan(30);
  });

  it.each(examples)('is true in $name', (example) => {
    const settings = settingsOf(example.settings);
    for (const text of example.texts ?? []) checkText(settings, text);
    const index = indexDocuments(documentsOf(example), settings);
    for (const asked of example.searches ?? []) checkSearch(index, asked);
  });
});
