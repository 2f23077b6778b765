/**
 * The writing system of a character, as far as cutting and normalisation need it (relevance.md 1.1
 * step 1). By blocks, not by the Unicode script property: all of U+0080–U+024F is Latin
 * (punctuation and the no-break space included), full and half-width forms are Hangul, letter-like
 * symbols are Latin. All other characters have no script, among them the Greek letters with breathings
 * (U+1F00–U+1FFF), which join the Greek letters around them.
 */
import { type CodePointRange, parseRanges } from './ranges.ts';

export const Script = {
  none: 0,
  latin: 1,
  cyrillic: 2,
  greek: 3,
  armenian: 4,
  georgian: 5,
  hebrew: 6,
  arabic: 7,
  cj: 8,
  hangul: 9,
  thai: 10,
  khmer: 11,
  devanagari: 12,
  bengali: 13,
  gurmukhi: 14,
  gujarati: 15,
  oriya: 16,
  tamil: 17,
  telugu: 18,
  kannada: 19,
  malayalam: 20,
  sinhala: 21,
  myanmar: 22,
  ethiopic: 23,
} as const;
export type Script = (typeof Script)[keyof typeof Script];

const BLOCKS: Readonly<Record<Exclude<keyof typeof Script, 'none'>, string>> = {
  latin: '41-5a 61-7a 80-2af 1d00-1dbf 1e00-1eff 2100-214f 2c60-2c7f a720-a7ff ab30-ab6f',
  cyrillic: '400-52f 1c80-1c8f 2de0-2dff a640-a69f',
  greek: '370-3ff',
  armenian: '530-58f',
  georgian: '10a0-10ff 1c90-1cbf 2d00-2d2f',
  hebrew: '590-5ff',
  arabic: '600-6ff 750-77f 870-8ff fb50-fdff fe70-feff 1ee00-1eeff',
  cj: '2e80-2fd5 3005 3007 3021-3029 3038-30ff 31f0-31ff 3400-4dbf 4e00-9fff f900-faff 1aff0-1b16f 20000-323af',
  hangul: '1100-11ff 3130-318f 3200-32ff a960-a97f ac00-d7ff ff00-ffef',
  thai: 'e00-e7f',
  khmer: '1780-17ff 19e0-19ff',
  devanagari: '900-97f 1cd0-1cff a8e0-a8ff',
  bengali: '980-9ff',
  gurmukhi: 'a00-a7f',
  gujarati: 'a80-aff',
  oriya: 'b00-b7f',
  tamil: 'b80-bff',
  telugu: 'c00-c7f',
  kannada: 'c80-cff',
  malayalam: 'd00-d7f',
  sinhala: 'd80-dff',
  myanmar: '1000-109f a9e0-a9ff aa60-aa7f',
  ethiopic: '1200-139f 2d80-2ddf ab00-ab2f',
};

/** Script of each code point of the basic plane. */
const basicPlane = new Uint8Array(0x10000);
const supplementary: { readonly range: CodePointRange; readonly script: Script }[] = [];
for (const [name, blocks] of Object.entries(BLOCKS)) {
  const script = Script[name as keyof typeof BLOCKS];
  for (const range of parseRanges(blocks)) {
    if (range[0] > 0xffff) supplementary.push({ range, script });
    else basicPlane.fill(script, range[0], range[1] + 1);
  }
}

export const copyOfBasicPlane = (): Uint8Array => basicPlane.slice();

export function scriptOf(codePoint: number): Script {
  if (codePoint < 0x10000) return basicPlane[codePoint]! as Script;
  for (const { range, script } of supplementary)
    if (codePoint >= range[0] && codePoint <= range[1]) return script;
  return Script.none;
}
