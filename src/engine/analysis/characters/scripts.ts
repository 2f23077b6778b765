/**
 * The writing system of a character, as far as cutting and normalisation need it (relevance.md 1.1
 * step 1). By blocks, not by the Unicode script property: all of U+0080–U+024F is Latin
 * (punctuation and the no-break space included), full and half-width forms are Hangul, letter-like
 * symbols are Latin, Thaana and NKo are Arabic. All other characters have no script and join the letters
 * around them, among them Armenian and the Greek letters with breathings (U+1F00–U+1FFF).
 */
import { type CodePointRange, parseRanges } from './ranges.ts';

export const Script = {
  none: 0,
  latin: 1,
  cyrillic: 2,
  greek: 3,
  georgian: 4,
  hebrew: 5,
  arabic: 6,
  cj: 7,
  hangul: 8,
  thai: 9,
  khmer: 10,
  devanagari: 11,
  bengali: 12,
  gurmukhi: 13,
  gujarati: 14,
  oriya: 15,
  tamil: 16,
  telugu: 17,
  kannada: 18,
  malayalam: 19,
  sinhala: 20,
  myanmar: 21,
  ethiopic: 22,
} as const;
export type Script = (typeof Script)[keyof typeof Script];

const BLOCKS: Readonly<Record<Exclude<keyof typeof Script, 'none'>, string>> = {
  latin: '41-5a 61-7a 80-2af 1d00-1dbf 1e00-1eff 2100-214f 2c60-2c7f a720-a7ff ab30-ab6f',
  cyrillic: '400-484 487-52f 2de0-2dff a640-a69d a69f',
  greek: '370-3ff',
  georgian: '10a0-10ff 1c90-1cbf',
  hebrew: '590-5ff',
  arabic: '600-6ff 750-7ff 8a0-8ff fb50-fdff fe70-feff 10e60-10e7f 1ee00-1eeff',
  cj: '2e80-2fd5 3005 3007 3021-3029 3038-303b 3040-30ff 3400-4dbf 4e00-9fff f900-faff 20000-323af',
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
  myanmar: '1000-109f',
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
