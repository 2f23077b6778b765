/** German compounds are cut into the longest known words. */
import { describe, expect, it } from 'vitest';
import { compoundSegmenter, simpleWords } from '../../../../src/engine/analysis/german-compounds.ts';
import { germanWords } from '../../../../src/engine/analysis/german-words.ts';
import { analyzerOf, indexed } from './analyzed-words.ts';
import { segmentedWords } from './segmented-words.ts';

const segmenter = compoundSegmenter(germanWords);

describe('compoundSegmenter', () => {
  it.each([
    ['Krankenhaus', ['Kranken', 'haus']],
    ['Donaudampfschifffahrtsgesellschaft', ['Donau', 'dampf', 'schiff', 'fahrt', 's', 'gesellschaft']],
    ['ausprobiert', ['aus', 'probiert']],
    ['GELDVERSCHWENDUNG', ['GELD', 'VERSCHWENDUNG']],
    ['arbeiten', ['arbeiten']],
    ['xyzzyqwert', ['xyzzyqwert']],
  ])('cuts %s', (piece, words) => expect(segmentedWords(segmenter, piece)).toEqual(words));

  it('stops when it is told to', () => expect(segmentedWords(segmenter, 'Krankenhaus', 1)).toEqual(['Kranken']));

  it('leaves a word whole whose lower case has another length', () =>
    expect(segmentedWords(segmenter, 'İkrankenhaus')).toEqual(['İkrankenhaus']));
});

it('keeps compounds and short or foreign words out of the dictionary', () => {
  const { words, longest } = simpleWords([
    'Haus',
    'Tür',
    'Garten',
    'Gartenhaus',
    'Haushaus',
    'Garten2',
    'Arbeit',
    'Arbeitshaus',
  ]);
  expect([...words].sort()).toEqual(['arbeit', 'garten', 'haus']);
  expect(longest).toBe(6);
});

it('cuts only where the language is German', () => {
  expect(indexed(analyzerOf(), 'Das Krankenhaus', ['deu'])).toEqual(['das@0', 'kranken@1', 'haus@2']);
  for (const locales of [null, ['fra'], ['deu', 'fra']]) {
    expect(indexed(analyzerOf(), 'Das Krankenhaus', locales)).toEqual(['das@0', 'krankenhaus@1']);
  }
});
