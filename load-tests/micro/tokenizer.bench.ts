/**
 * Speed of turning text into indexed words, by kind of text; `run()` returns the rows, started as a
 * program it prints them.
 */
import { pathToFileURL } from 'node:url';
import type { Analyzer } from '../../src/engine/analysis/analyzer.ts';
import { createAnalyzer } from '../../src/engine/analysis/analyzer.ts';
import type { WordSink } from '../../src/engine/analysis/tokens/token.ts';

interface BenchRow {
  readonly name: string;
  readonly megabytesPerSecond: number;
  readonly wordCount: number;
}

const SAMPLE_BYTES = 2_000_000;
const MEASURE_MS = 600;
const ENGLISH_STOP_WORDS = [
  'a',
  'an',
  'and',
  'are',
  'as',
  'at',
  'be',
  'by',
  'for',
  'in',
  'is',
  'it',
  'of',
  'on',
  'or',
  'the',
  'to',
  'with',
];

/** Deterministic numbers in [0, 1). */
function randomSource(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Sentences of made words whose frequencies fall off as in natural text; `vocabularySize` words of
 * 2 to 12 of `letters`.
 */
function madeText(letters: string, vocabularySize: number): string {
  const random = randomSource(vocabularySize);
  const alphabet = Array.from(letters);
  const vocabulary = Array.from({ length: vocabularySize }, () =>
    Array.from(
      { length: 2 + Math.floor(random() * 11) },
      () => alphabet[Math.floor(random() * alphabet.length)],
    ).join(''),
  );
  const parts: string[] = [];
  for (let length = 0; length < SAMPLE_BYTES; ) {
    const word = vocabulary[Math.floor(vocabularySize ** random()) - 1] ?? '';
    parts.push(word, random() < 0.1 ? ', ' : random() < 0.08 ? '. ' : ' ');
    length += word.length + 1;
  }
  return parts.join('');
}

const ENGLISH =
  'eeeeeeeeeeeetttttttttaaaaaaaaooooooooiiiiiiinnnnnnnssssssrrrrrrhhhhhhdddllluuccmmffyywwggppbbvkETAIS';

const SAMPLES: readonly {
  readonly name: string;
  readonly text: () => string;
  readonly stopWords?: readonly string[];
}[] = [
  { name: 'English', text: () => madeText(ENGLISH, 30_000) },
  {
    name: 'English, stop words set',
    text: () => madeText(ENGLISH, 30_000),
    stopWords: ENGLISH_STOP_WORDS,
  },
  { name: 'one word in eight with accents', text: () => madeText(`${ENGLISH}é`, 30_000) },
  { name: 'most words with accents', text: () => madeText('etaoinsrhdlcumfpéèàçüöäß', 15_000) },
  { name: 'Cyrillic', text: () => madeText('оеаинтсрвлкмдпуяыьгзбчйхжшю', 15_000) },
  { name: 'Arabic', text: () => madeText('اليمنتروبعدفهسكقحجشصطخز', 15_000) },
  {
    name: 'words never seen before, with accents',
    text: () => madeText('etaoinsrhdlcumfpéèàçüöäß', 400_000),
  },
  {
    name: 'Chinese',
    text: () => madeText('的一是不了人我在有他这中大来上国个到说们', 5_000).slice(0, 200_000),
  },
];

const countingSink = (): WordSink & { count: number } => ({
  count: 0,
  word() {
    this.count++;
  },
});

/** Values of 600 bytes or so, as documents have them. */
function values(text: string): Uint8Array[] {
  const utf8 = new TextEncoder();
  return (text.match(/.{1,600}/gu) ?? []).map((value) => utf8.encode(value));
}

function measure(
  analyzer: Analyzer,
  inputs: readonly Uint8Array[],
): { bytes: number; seconds: number; words: number } {
  const sink = countingSink();
  let bytes = 0;
  const start = performance.now();
  while (performance.now() - start < MEASURE_MS) {
    for (const value of inputs) {
      analyzer.indexWords(value, 0, value.length, 0, null, sink);
      bytes += value.length;
    }
  }
  return { bytes, seconds: (performance.now() - start) / 1000, words: sink.count };
}

/** Characters per second of `tokenizeForDisplay`, as megabytes of UTF-8. */
function measureTokens(text: string): BenchRow {
  const analyzer = createAnalyzer({
    stopWords: [],
    separatorTokens: [],
    nonSeparatorTokens: [],
    dictionary: [],
  });
  const inputs = (text.match(/.{1,600}/gu) ?? []).map((part) => new TextEncoder().encode(part));
  let bytes = 0;
  let wordCount = 0;
  const start = performance.now();
  while (performance.now() - start < 2 * MEASURE_MS) {
    for (const value of inputs) {
      wordCount += analyzer.tokenizeForDisplay(value, 0, value.length, null).length;
      bytes += value.length;
    }
  }
  return {
    name: 'tokens for display, English',
    megabytesPerSecond: bytes / (performance.now() - start) / 1e3,
    wordCount,
  };
}

export function run(): BenchRow[] {
  const rows = SAMPLES.map(({ name, text, stopWords = [] }) => {
    const analyzer = createAnalyzer({
      stopWords,
      separatorTokens: [],
      nonSeparatorTokens: [],
      dictionary: [],
    });
    const inputs = values(text());
    measure(analyzer, inputs);
    const { bytes, seconds, words } = measure(analyzer, inputs);
    return { name, megabytesPerSecond: bytes / seconds / 1e6, wordCount: words };
  });
  return [...rows, measureTokens(madeText(ENGLISH, 30_000))];
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const { name, megabytesPerSecond } of run()) {
    process.stdout.write(`${name.padEnd(42)}${megabytesPerSecond.toFixed(1).padStart(8)} MB/s\n`);
  }
}
