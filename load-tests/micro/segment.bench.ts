/**
 * Micro-benchmark of segments on real corpora: sizes by section, and rates of building, looking up,
 * scanning, reading and merging. Run: npx esbuild load-tests/micro/segment.bench.ts --bundle
 * --platform=node --format=esm --packages=external --outfile=/tmp/segment.bench.mjs
 *      node /tmp/segment.bench.mjs [--cpu] FILE.ndjson[.gz] ...
 * `--cpu` counts processor time instead of wall-clock time, for busy machines.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { HASH_SEED, hashFinish, hashStep } from '../../src/core/hash.ts';
import { encodeUtf8 } from '../../src/engine/bytes/utf8.ts';
import type { OccurrenceBuffer } from '../../src/engine/postings/occurrence-key.ts';
import { SegmentBuilder } from '../../src/engine/segment/segment-builder.ts';
import { Section, SegmentFrame } from '../../src/engine/segment/segment-format.ts';
import { mergeSegments } from '../../src/engine/segment/segment-merger.ts';
import { SegmentReader } from '../../src/engine/segment/segment-reader.ts';
import { frameSegment } from '../../src/engine/segment/segment-writer.ts';
import { StoredDocumentsWriter } from '../../src/engine/segment/stored-documents.ts';
import { makeBitset, setBit } from '../../src/engine/sets/bitset.ts';

/**
 * Every event of one document that the builder receives, so that parsing and tokenizing stay out of
 * the figures.
 */
interface Prepared {
  readonly id: Uint8Array;
  readonly json: Uint8Array;
  readonly names: string[];
  /** Flat: start and end in `text`, hash, field, position. */
  readonly words: Uint32Array;
}

interface Corpus {
  readonly documents: Prepared[];
  readonly text: Uint8Array;
  readonly fields: string[];
  readonly rawBytes: number;
}

const isWordByte = (byte: number): boolean =>
  (byte >= 48 && byte <= 57) ||
  (byte >= 97 && byte <= 122) ||
  (byte >= 65 && byte <= 90) ||
  byte >= 128;

class Preparer {
  text = new Uint8Array(1 << 26);
  length = 0;
  readonly fields = new Map<string, number>();
  #words: number[] = [];

  prepare(line: string): Prepared {
    const document = JSON.parse(line) as Record<string, unknown>;
    this.#words = [];
    for (const [name, value] of Object.entries(document)) this.#value(name, value);
    return {
      id: encodeUtf8(String(document['id'])),
      json: encodeUtf8(line),
      names: Object.keys(document),
      words: Uint32Array.from(this.#words),
    };
  }

  #value(name: string, value: unknown): void {
    if (!this.fields.has(name)) this.fields.set(name, this.fields.size);
    const values = Array.isArray(value) ? value : [value];
    let position = 0;
    for (const each of values)
      position = this.#text(String(each), this.fields.get(name) as number, position) + 8;
  }

  #text(text: string, field: number, base: number): number {
    const bytes = encodeUtf8(text);
    let position = base;
    for (let at = 0; at < bytes.length; ) {
      while (at < bytes.length && !isWordByte(bytes[at]!)) at++;
      const start = this.length;
      let hash = HASH_SEED;
      for (; at < bytes.length && isWordByte(bytes[at]!); at++) {
        const byte = bytes[at]! >= 65 && bytes[at]! <= 90 ? bytes[at]! + 32 : bytes[at]!;
        this.text[this.length++] = byte;
        hash = hashStep(hash, byte);
      }
      if (this.length > start)
        this.#words.push(start, this.length, hashFinish(hash), field, Math.min(position++, 65_535));
    }
    return position;
  }
}

function prepareCorpus(path: string): Corpus {
  const file = readFileSync(path);
  const lines = (path.endsWith('.gz') ? gunzipSync(file) : file).toString().trimEnd().split('\n');
  const preparer = new Preparer();
  const documents = lines.map((line) => preparer.prepare(line));
  const rawBytes = documents.reduce((sum, { json }) => sum + json.length + 1, 0);
  return { documents, text: preparer.text, fields: [...preparer.fields.keys()], rawBytes };
}

function build(corpus: Corpus, start: number, end: number): Uint8Array {
  const builder = new SegmentBuilder('bench');
  const stored = new StoredDocumentsWriter();
  const scratch = new Uint8Array(1 << 16);
  const fieldNumbers = corpus.fields.map((path) => builder.fieldNumber(path));
  for (let docId = start; docId < end; docId++) {
    const { words, id, json, names } = corpus.documents[docId]!;
    builder.beginDocument(docId);
    for (let i = 0; i < words.length; i += 5) {
      const from = words[i]!;
      const length = words[i + 1]! - from;
      for (let byte = 0; byte < length; byte++) scratch[byte] = corpus.text[from + byte]!;
      builder.word(scratch, length, words[i + 2]!, fieldNumbers[words[i + 3]!]!, words[i + 4]!);
    }
    builder.endDocument(id, names);
    stored.add(json);
  }
  return joined(frameSegment(builder.finish(), stored.finish()));
}

const joined = (parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

const row = (name: string, value: number, unit: string, digits = 2): void =>
  console.log(`${name.padEnd(46)} ${value.toFixed(digits).padStart(12)} ${unit}`);

const countsCpu = process.argv[2] === '--cpu';

function nowMs(): number {
  if (!countsCpu) return performance.now();
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Least time of several runs, in ms. */
function bestMs(run: () => void, times = 5): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < times; i++) {
    const start = nowMs();
    run();
    best = Math.min(best, nowMs() - start);
  }
  return best;
}

/** A fixed pseudo-random sequence below `limit`. */
function picks(count: number, limit: number): number[] {
  let state = 12345;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  });
}

/** A row with the time that `run` takes for one of the items. */
function perItem<T>(
  name: string,
  items: readonly T[],
  unit: 'ns' | 'us',
  run: (item: T) => number,
): void {
  let sink = 0;
  const ms = bestMs(() => {
    for (const item of items) sink += run(item);
  });
  const scale = unit === 'ns' ? 1e6 : 1e3;
  row(name, (ms * scale) / items.length, unit, unit === 'ns' ? 0 : 2);
  if (Number.isNaN(sink)) throw new Error(`${name} gave no numbers`);
}

function showSizes(bytes: Uint8Array, corpus: Corpus, reader: SegmentReader): void {
  const frame = new SegmentFrame('bench', bytes);
  for (const [name, section] of Object.entries(Section)) {
    if (!frame.has(section)) continue;
    const { length } = frame.section(section);
    row(`size ${name}`, (100 * length) / corpus.rawBytes, `% of raw, ${length} bytes`);
  }
  row('size in all', bytes.length / corpus.rawBytes, 'x raw', 3);
  const sections = [
    Section.termText,
    Section.termGroups,
    Section.trieLabels,
    Section.trieInner,
    Section.triePoints,
  ];
  const dictionary = sections.reduce((sum, section) => sum + frame.section(section).length, 0);
  row(
    `dictionary, ${reader.terms.termCount} terms`,
    dictionary / reader.terms.termCount,
    'bytes a term',
  );
  const stored = [Section.storedText, Section.storedOffsets, Section.storedTokens].filter(
    (section) => frame.has(section),
  );
  row(
    'stored documents',
    stored.reduce((sum, section) => sum + frame.section(section).length, 0) / reader.storedBytes,
    'x',
  );
}

function benchTerms(reader: SegmentReader): void {
  const { terms } = reader;
  const sample = picks(20_000, terms.termCount);
  const words = sample.map((ordinal) => terms.bytes(ordinal));
  perItem('find', words, 'ns', (word) => terms.find(word));
  const prefixes = words.map((word) => word.subarray(0, 3));
  perItem('prefixRange, 3 bytes', prefixes, 'ns', (prefix) => terms.prefixRange(prefix).lo);
  perItem('text', sample, 'ns', (ordinal) => terms.text(ordinal).length);
  perItem('documentFrequency', sample, 'ns', (ordinal) =>
    reader.postings.documentFrequency(ordinal),
  );
  let sink = 0;
  const queries = [
    'avengers',
    'galaxxy',
    'internationl',
    'knihgt',
    'adventrue',
    'documentory',
    'spidermn',
    'revolution',
    'presidnt',
    'kingdm',
  ];
  for (const maxDistance of [1, 2] as const) {
    for (const prefix of [false, true]) {
      const scan = (): void => {
        for (const query of queries) {
          const options = {
            maxDistance,
            maxDistanceOtherFirst: maxDistance === 2 ? 1 : 0,
            prefix,
          } as const;
          terms.visitSimilar(query, options, (_ordinal, distance) => {
            sink += distance;
            return true;
          });
        }
      };
      row(
        `typo scan, distance ${maxDistance}${prefix ? ', prefix' : ''}`,
        bestMs(scan, 30) / queries.length,
        'ms',
        4,
      );
    }
  }
  if (sink < 0) console.log(sink);
}

function benchPostings(reader: SegmentReader, limit: number): void {
  const { termCount } = reader.terms;
  const frequencies = Array.from({ length: termCount }, (_, term) =>
    reader.postings.documentFrequency(term),
  );
  const long = [...frequencies.keys()].filter((term) => frequencies[term]! >= 2000);
  const short = [...frequencies.keys()].filter(
    (term) => frequencies[term]! >= 10 && frequencies[term]! < 128,
  );
  const postingsOf = (list: readonly number[]): number =>
    list.reduce((sum, term) => sum + frequencies[term]!, 0);
  const all = postingsOf([...frequencies.keys()]);
  const bits = makeBitset(limit);
  const add = (list: readonly number[]) => (): void => {
    for (const term of list) reader.postings.addDocuments(term, bits);
  };
  const rate = (name: string, count: number, run: () => void): void =>
    row(name, count / bestMs(run) / 1000, 'M/s', 0);
  rate(`addDocuments, ${long.length} lists of ≥ 2000`, postingsOf(long), add(long));
  rate(`addDocuments, ${short.length} lists of 10 … 127`, postingsOf(short), add(short));
  rate(`addRangeDocuments, all ${all} postings`, all, () =>
    reader.postings.addRangeDocuments(0, termCount, bits),
  );
  const everything = makeBitset(limit).fill(0xffffffff);
  const tenth = makeBitset(limit);
  const few = makeBitset(limit);
  for (const docId of picks(limit / 10, limit)) setBit(tenth, docId);
  for (const docId of picks(100, limit)) setBit(few, docId);
  const fieldMap = Int32Array.from(reader.fields.keys());
  const out: OccurrenceBuffer = {
    docs: new Uint32Array(1 << 22),
    keys: new Uint32Array(1 << 22),
    length: 0,
  };
  const read = (list: readonly number[], candidates: Uint32Array) => (): void => {
    for (const term of list) {
      out.length = 0;
      reader.postings.readOccurrences(term, candidates, fieldMap, out);
    }
  };
  let occurrences = 0;
  for (const term of long) {
    out.length = 0;
    reader.postings.readOccurrences(term, everything, fieldMap, out);
    occurrences += out.length;
  }
  rate('readOccurrences, lists of ≥ 2000', occurrences, read(long, everything));
  rate('  a tenth of the documents (of all occurrences)', occurrences, read(long, tenth));
  rate('  100 documents (of all occurrences)', occurrences, read(long, few));
  rate('readOccurrences, lists of 10 … 127 (postings)', postingsOf(short), read(short, everything));
  out.length = 0;
  reader.postings.readRangeOccurrences(0, termCount, everything, fieldMap, out);
  const total = out.length;
  rate(`readRangeOccurrences, all ${total}`, total, () => {
    out.length = 0;
    reader.postings.readRangeOccurrences(0, termCount, everything, fieldMap, out);
  });
}

function benchDocuments(reader: SegmentReader): void {
  const random = picks(20_000, reader.documentCount);
  perItem('readDocument, random', random, 'us', (docId) => reader.readDocument(docId).length);
  perItem(
    'readDocument, in order',
    Array.from(reader.docIds),
    'us',
    (docId) => reader.readDocument(docId).length,
  );
  const ids = random.map((docId) => reader.documentId(docId).slice());
  perItem('findDocument', ids, 'ns', (id) => reader.findDocument(id));
  const absent = ids.map((id) => Uint8Array.from([...id, 33]));
  perItem('findDocument, absent', absent, 'ns', (id) => reader.findDocument(id));
}

function benchMerge(corpus: Corpus): void {
  const count = corpus.documents.length;
  const quarters = Array.from({ length: 4 }, (_, i) => {
    const bytes = build(corpus, Math.floor((count * i) / 4), Math.floor((count * (i + 1)) / 4));
    return new SegmentReader(`q${i}`, bytes);
  });
  const inputs = quarters.map((reader) => ({ reader, dead: null }));
  let size = 0;
  const ms = bestMs(() => {
    size = joined(mergeSegments('merged', inputs)).length;
  }, 3);
  row('merge of four segments', corpus.rawBytes / ms / 1000, 'MB/s of raw');
  row('merged size', size / corpus.rawBytes, 'x raw', 3);
}

/** How fast the machine is just now: time to add one number of a small array. */
function showMachine(): void {
  const numbers = new Uint32Array(4096);
  let sum = 0;
  const addUp = (): void => {
    for (let i = 0; i < numbers.length; i++) sum = (sum + numbers[i]!) | 0;
  };
  row(
    'calibration: an addition',
    (bestMs(() => Array.from({ length: 200 }).forEach(addUp), 20) * 1e6) / 200 / numbers.length,
    'ns',
  );
}

for (const path of process.argv.slice(countsCpu ? 3 : 2)) {
  console.log(`\n${path}`);
  showMachine();
  const corpus = prepareCorpus(path);
  const count = corpus.documents.length;
  let bytes = build(corpus, 0, count);
  row(
    `build, ${count} documents, without tokenizing`,
    corpus.rawBytes / bestMs(() => (bytes = build(corpus, 0, count)), 3) / 1000,
    'MB/s of raw',
  );
  row(
    'build of 100 documents',
    bestMs(() => build(corpus, 0, 100), 10),
    'ms',
  );
  row(
    'open',
    bestMs(() => new SegmentReader('bench', bytes), 50),
    'ms',
    4,
  );
  const reader = new SegmentReader('bench', bytes);
  row(
    'verify',
    bestMs(() => reader.verify(), 2),
    'ms',
    0,
  );
  showSizes(bytes, corpus, reader);
  benchTerms(reader);
  benchPostings(reader, count);
  benchDocuments(reader);
  benchMerge(corpus);
}
