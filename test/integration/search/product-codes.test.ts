/** Product codes, part numbers, addresses and versions are found by what people type of them. */
import { describe, expect, it } from 'vitest';
import { indexTexts, searchIds } from '../../support/search.ts';

const CORPUS = {
  pump: 'Pump AX-7am250 blue',
  otherPump: 'Pump AX-9zz250',
  bolt: 'Bolt, SKU 12-3400-B',
  mail: 'Write to anna.lindqvist@example-shop.com today',
  release: 'Release v2.10.3 notes',
  oldRelease: 'Release v1.9.12 notes',
  part: 'Part no. 00B-447/19',
  ean: 'EAN 4006381333931',
  camera: 'Camera DSC-RX100M7',
  phone: 'iPhone14Pro case',
  filter: 'Filter (HEPA-13)#A',
  file: 'file_name_v2.tar.gz',
};

const index = indexTexts(CORPUS);
const found = (q: string) => searchIds(index, { q, matchingStrategy: 'all' });

describe('what people type of a code', () => {
  it.each([
    ['pump', ['AX-7am250', 'ax7am250', 'AX7AM250', 'ax 7am250', '7am250', 'AX-7', 'ax 7', '7am']],
    [
      'bolt',
      ['12-3400-B', '12 3400 b', '12 3400', '12-34', '123400', '3400', '3400-B', '3400b', 'sku 12'],
    ],
    ['part', ['00B-447/19', '00b447', '00b 447', '447/19', '44719', '447']],
    ['ean', ['4006381333931', '400638']],
    ['camera', ['DSC-RX100M7', 'dsc rx100m7', 'dscrx100m7', 'rx100m7', 'rx100', 'rx 100']],
    ['phone', ['iPhone14Pro', 'iphone14', 'iphone 14', 'iphone 14 pro']],
    ['filter', ['HEPA-13', 'hepa13', 'hepa 13', 'HEPA 13 A']],
    ['file', ['file_name_v2.tar.gz', 'file name', 'filename', 'tar.gz', 'v2.tar']],
  ])('finds the %s', (id, typed) => {
    for (const q of typed) expect([q, found(q)]).toEqual([q, [id]]);
  });

  it('finds an address whole, by its local part, its names and its domain', () => {
    const address = 'anna.lindqvist@example-shop.com';
    const parts = [
      'anna.lindqvist',
      'annalindqvist',
      'lindqvist',
      'anna',
      'example-shop.com',
      'exampleshop',
      '@example',
    ];
    for (const q of [address, address.toUpperCase(), ...parts])
      expect([q, found(q)]).toEqual([q, ['mail']]);
  });

  it('finds a version whole and by its beginning, with or without the dots', () => {
    for (const q of ['v2.10.3', 'V2.10.3', 'v2.10', 'v2 10', 'v210'])
      expect([q, found(q)]).toEqual([q, ['release']]);
  });

  it('finds a code as a phrase and leaves out a code after a minus', () => {
    expect(found('"AX-7am250"')).toEqual(['pump']);
    expect(found('pump -7am250')).toEqual(['otherPump']);
  });

  it('finds a long code with a wrong character in it', () => {
    expect(found('4006381338931')).toEqual(['ean']);
    expect(found('ax-7an250')).toEqual(['pump']);
  });
});

describe('how a code is written or asked', () => {
  it('does not matter when one side joins two parts and the other keeps them apart', () => {
    const joined = indexTexts({ joined: 'AX7AM250', apart: 'AX 7AM250', dashed: 'ax-7am250' });
    for (const q of ['ax7am250', 'AX-7AM250', 'ax 7am250']) {
      expect(searchIds(joined, { q, matchingStrategy: 'all' }).sort()).toEqual([
        'apart',
        'dashed',
        'joined',
      ]);
    }
  });

  it('is a matter of settings: without the hyphen as separator a code is one word, which its beginning finds', () => {
    const whole = indexTexts(CORPUS, { nonSeparatorTokens: ['-', '.'] });
    const ids = (q: string) => searchIds(whole, { q, matchingStrategy: 'all' });
    for (const q of ['ax-7', 'AX-7am250']) expect(ids(q)).toEqual(['pump']);
    expect(ids('v2.1')).toEqual(['release']);
    expect(ids('7am250')).toEqual([]);
  });
});

describe('what is not found, because a word is found by its beginning and never by its inside', () => {
  it.each([
    ['the end of a word', ['am250', '333931', '14pro', '100m7']],
    ['a version without the letter its first word begins with', ['2.10', '2.10.3']],
    ['three parts typed as one word', ['v2103', '123400b']],
    ['two parts typed as one word of which the second is not whole', ['ax7']],
  ])('%s', (_, typed) => {
    for (const q of typed) expect([q, found(q)]).toEqual([q, []]);
  });
});
