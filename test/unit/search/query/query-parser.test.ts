/** Long queries: only their start is read (relevance.md 2.1). */
import { expect, it, vi } from 'vitest';
import { createAnalyzer } from '../../../../src/engine/analysis/analyzer.ts';
import { DEFAULT_SETTINGS } from '../../../../src/model/settings.ts';
import { parseQuery } from '../../../../src/search/query/query-parser.ts';

const analyzer = createAnalyzer(DEFAULT_SETTINGS);
const choice = { prefixSearch: true, termsMax: 10_000, hasParts: false };
const parse = (text: string) => parseQuery(text, analyzer, null, choice);

it('the first thousand tokens count, and the last of them is no prefix of a longer query', () => {
  const words = Array.from({ length: 500 }, (_, i) => `w${i}`);
  const whole = parse(words.join(' '));
  expect(whole.terms).toHaveLength(500);
  expect(whole.terms.at(-1)).toMatchObject({ word: 'w499', isPrefix: true });
  const longer = parse(`${words.join(' ')} more words`);
  expect(longer.terms).toEqual(whole.terms.map((term) => ({ ...term, isPrefix: false })));
});

it('a query of a megabyte is cut before tokenization', () => {
  const tokenize = vi.spyOn(analyzer, 'tokenize');
  const { terms } = parse('word '.repeat(200_000));
  expect(terms).toHaveLength(500);
  expect(tokenize.mock.calls[0]?.[0]).toHaveLength(65_536);
  expect(tokenize.mock.results[0]?.value).toHaveLength(1001);
});

it('a word of a megabyte is no prefix', () => {
  expect(parse('x'.repeat(1_000_000)).terms).toMatchObject([{ isPrefix: false }]);
});
