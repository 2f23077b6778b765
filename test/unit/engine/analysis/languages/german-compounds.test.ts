/** German compounds are cut into the longest known words. */
import { describe, expect, it } from 'vitest';
import {
  compoundSegmenter,
  simpleWords,
} from '../../../../../src/engine/analysis/languages/german-compounds.ts';
import { germanWords } from '../../../../../src/engine/analysis/languages/word-lists.ts';
import { analyzerOf, indexed } from '../analyzed-words.ts';
import { segmentedWords } from './segmented-words.ts';

const segmenter = compoundSegmenter(germanWords);

describe('compoundSegmenter', () => {
  it.each([
    ['Krankenhaus', ['Kranken', 'haus']],
    ['Donaudampfschifffahrtsgesellschaft', ['Donau', 'dampf', 'schiff', 'fahrts', 'gesellschaft']],
    ['Regierungsform', ['Regierung', 's', 'form']],
    ['ankommen', ['ankommen']],
    ['haben', ['hab', 'en']],
    ['seinen', ['sein', 'en']],
    ['ein', ['ein']],
    ['nicht', ['nicht']],
    ['GELDVERSCHWENDUNG', ['GELD', 'VERSCHWENDUNG']],
    ['arbeiten', ['arbeiten']],
    ['xyzzyqwert', ['xyzzyqwert']],
  ])('cuts %s', (piece, words) => expect(segmentedWords(segmenter, piece)).toEqual(words));

  it('stops at the word limit', () =>
    expect(segmentedWords(segmenter, 'Krankenhaus', 1)).toEqual(['Kranken']));

  it('leaves a word whole whose lower case has another length', () =>
    expect(segmentedWords(segmenter, 'İkrankenhaus')).toEqual(['İkrankenhaus']));
});

it('keeps compounds, short words that are no nouns, and foreign words out of the dictionary, unless they are named', () => {
  const { words, longest } = simpleWords(
    [
      'Haus',
      'Tür',
      'Garten',
      'Gartenhaus',
      'Haushaus',
      'Garten2',
      'Arbeit',
      'Arbeitshaus',
      'Immer',
      'immer',
      'gehen',
      'kaufen',
    ],
    ['ein'],
  );
  expect([...words].sort()).toEqual(['arbeit', 'ein', 'garten', 'haus', 'kaufen']);
  expect(longest).toBe(6);
});

it('cuts only where the language is German', () => {
  expect(indexed(analyzerOf(), 'Das Krankenhaus', ['deu'])).toEqual([
    'das@0',
    'kranken@1',
    'haus@2',
  ]);
  for (const locales of [null, ['fra'], ['deu', 'fra']]) {
    expect(indexed(analyzerOf(), 'Das Krankenhaus', locales)).toEqual(['das@0', 'krankenhaus@1']);
  }
});
