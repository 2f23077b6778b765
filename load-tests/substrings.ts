/**
 * The cost of `substringAttributes`, in memory and in one thread: bytes and processor time of the
 * index with and without the setting, and searches for parts of its values.
 *
 *     npm run build && node dist/load-tests/substrings.js [--documents N] [--searches N]
 *
 * Two corpora: part numbers, all different, such as `KX-482913-B`; names of six words out of 20,000.
 */
import { parseArgs } from 'node:util';
import { Deadline } from '../src/core/deadline.ts';
import { DEFAULT_SEARCH_REQUEST } from '../src/model/search.ts';
import { DEFAULT_SETTINGS, type Settings } from '../src/model/settings.ts';
import { writeSearchAnswer } from '../src/search/answer/write-answer.ts';
import { executeSearch } from '../src/search/execute-search.ts';
import type { IndexSnapshot } from '../src/search/snapshot/index-snapshot.ts';
import { drawn, letter, madeText } from './bench/made-texts.ts';
import { memoryIndex } from './bench/memory-index.ts';
import { percentile } from './bench/statistics.ts';

const { values: options } = parseArgs({
  options: {
    documents: { type: 'string', default: '1000000' },
    searches: { type: 'string', default: '400' },
  },
});
const documentCount = Number(options.documents);
const searchCount = Number(options.searches);
/** Searches before the measured ones, which compile the code. */
const WARM_UP = 100;

const partNumber = (id: number): string =>
  `${letter(7 * id)}${letter(7 * id + 1)}-${String(100_000 + drawn(7 * id + 2, 900_000))}-${letter(7 * id + 3)}`;

const name = (id: number): string => madeText(id, 6);

interface Corpus {
  readonly title: string;
  readonly textOf: (id: number) => string;
  /** Beginning and end of a part in a value. */
  readonly parts: Readonly<Record<string, readonly [number, number]>>;
}

const CORPORA: readonly Corpus[] = [
  {
    title: 'part numbers',
    textOf: partNumber,
    parts: {
      '3 digits': [4, 7],
      '4 digits': [4, 8],
      '5 digits': [4, 9],
      'letter, hyphen, 2 digits': [1, 5],
      'whole number': [0, 11],
    },
  },
  {
    title: 'names',
    textOf: name,
    parts: { '3 letters': [0, 3], '3 letters inside': [1, 4] },
  },
];

const settingsOf = (substringAttributes: readonly string[]): Settings => ({
  ...DEFAULT_SETTINGS,
  searchableAttributes: ['value'],
  substringAttributes,
});

const bytesOf = ({ manifest }: IndexSnapshot): number =>
  manifest.segments.reduce(
    (sum, { files }) => sum + files.reduce((own, { bytes }) => own + bytes, 0),
    0,
  );

function searchMs(snapshot: IndexSnapshot, q: string): { ms: number; hits: number } {
  const attributesToHighlight = ['value'];
  const request = {
    ...DEFAULT_SEARCH_REQUEST,
    q,
    attributesToHighlight,
    showMatchesPosition: true,
  };
  const start = process.cpuUsage();
  const outcome = executeSearch(snapshot, request, Deadline.never());
  writeSearchAnswer(snapshot, request, outcome, () => ({ requestUid: '', processingTimeMs: 0 }));
  const { user, system } = process.cpuUsage(start);
  return { ms: (user + system) / 1000, hits: outcome.candidates.count };
}

function measure({ title, textOf, parts }: Corpus): void {
  const indexes = [[], ['value']].map((attributes) => {
    const start = process.cpuUsage();
    const snapshot = memoryIndex(settingsOf(attributes), documentCount, (id) => ({
      id,
      value: textOf(id),
    }));
    const { user, system } = process.cpuUsage(start);
    const megabytes = (bytesOf(snapshot) / 1e6).toFixed(1);
    console.log(
      `${title}, ${attributes.length === 0 ? 'without' : 'with'} the setting: ${megabytes} MB, ${((user + system) / 1e6).toFixed(1)} s, ${snapshot.segments.length} segments`,
    );
    return snapshot;
  });
  console.log('| part | setting | p50 ms | p99 ms | hits, median |\n|---|---|---|---|---|');
  for (const [part, [from, end]] of Object.entries(parts))
    for (const [i, snapshot] of indexes.entries()) {
      const results = Array.from({ length: WARM_UP + searchCount }, (_, n) =>
        searchMs(snapshot, textOf(drawn(n + 99_991, documentCount)).slice(from, end)),
      ).slice(WARM_UP);
      const times = results.map(({ ms }) => ms);
      const hits = results.map((each) => each.hits);
      console.log(
        `| ${part} | ${i === 0 ? 'off' : 'on'} | ${percentile(times, 0.5).toFixed(1)} | ${percentile(times, 0.99).toFixed(1)} | ${percentile(hits, 0.5)} |`,
      );
    }
}

for (const corpus of CORPORA) measure(corpus);
