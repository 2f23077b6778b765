/**
 * Collects the values and marks of one field path over the documents of a segment, and lays out its
 * column.
 */

import { hashBytes } from '../../core/hash.ts';
import { NumberList } from '../bytes/number-list.ts';
import { TermInterner } from '../bytes/term-interner.ts';
import { decodeUtf8, encodeUtf8 } from '../bytes/utf8.ts';
import { lowerBound } from '../sets/sorted.ts';
import { columnBytes, numberArray, Part, type PartData } from './column-parts.ts';
import { isCoordinatePath } from './geo-field.ts';
import { normalizeValue, storedValueLength } from './normalize-value.ts';
import { encodeRankSet } from './rank-set.ts';
import { ValueDictionaryWriter } from './value-dictionary.ts';
import {
  type PostingParts,
  type ValueEntries,
  writeValuePostings,
} from './value-postings-writer.ts';
import { ValueSpellingsWriter } from './value-spellings.ts';

export const NUMBER_POSTINGS: PostingParts = {
  rows: Part.numberRows,
  starts: Part.numberStarts,
  ordinals: Part.numberOrdinals,
  offsets: Part.numberOffsets,
  ranks: Part.numberRanks,
};
export const STRING_POSTINGS: PostingParts = {
  rows: Part.stringRows,
  starts: Part.stringStarts,
  ordinals: Part.stringOrdinals,
  offsets: Part.stringOffsets,
  ranks: Part.stringRanks,
};

const FIRST_ENTRIES = 4;
const FIRST_SLOTS = 32;

interface SpelledEntries extends ValueEntries {
  /** Number of each entry's spelling. */
  readonly spellings: Uint32Array;
}

const NO_NUMBERS = new Float64Array(0);
const scratch = new Uint8Array(1024);

export class ColumnBuilder {
  readonly path: string;
  readonly isCoordinate: boolean;
  // Empty lists take no room: a document may have tens of thousands of fields.
  readonly #existing = new NumberList();
  readonly #nulls = new NumberList();
  readonly #empties = new NumberList();
  readonly #numberRanks = new NumberList();
  #numbers = NO_NUMBERS;
  readonly #stringRanks = new NumberList();
  /** Entry of `#stringRanks` → number of its spelling. */
  readonly #stringSpellings = new NumberList();
  #spellings: TermInterner | null = null;

  constructor(path: string) {
    this.path = path;
    this.isCoordinate = isCoordinatePath(path);
  }

  get memoryBytes(): number {
    const lists = [
      this.#existing,
      this.#nulls,
      this.#empties,
      this.#numberRanks,
      this.#stringRanks,
      this.#stringSpellings,
    ];
    const listed = lists.reduce((sum, { items }) => sum + items.byteLength, 0);
    return listed + this.#numbers.byteLength + (this.#spellings?.memoryBytes ?? 0);
  }

  markExisting(rank: number): void {
    this.#existing.push(rank);
  }
  markNull(rank: number): void {
    this.#nulls.push(rank);
  }
  markEmpty(rank: number): void {
    this.#empties.push(rank);
  }

  addNumber(rank: number, value: number): void {
    const at = this.#numberRanks.length;
    this.#numberRanks.push(rank);
    if (at === this.#numbers.length) {
      const grown = new Float64Array(Math.max(FIRST_ENTRIES, at * 2));
      grown.set(this.#numbers);
      this.#numbers = grown;
    }
    // Adding zero makes −0 the same value as 0.
    this.#numbers[at] = value + 0;
  }

  /** The bytes are the string as the document spells it, at the start of `bytes`. */
  addString(rank: number, bytes: Uint8Array, length: number): void {
    this.#stringRanks.push(rank);
    this.#spellings ??= new TermInterner(FIRST_SLOTS);
    this.#stringSpellings.push(this.#spellings.intern(bytes, length, hashBytes(bytes, 0, length)));
  }

  finish(documentCount: number): Uint8Array {
    const parts = new Map<Part, PartData>();
    parts.set(Part.existing, encodeRankSet(this.#existing.view(), documentCount));
    parts.set(Part.nulls, encodeRankSet(this.#nulls.view(), documentCount));
    parts.set(Part.empties, encodeRankSet(this.#empties.view(), documentCount));
    const numbers = this.#finishNumbers(documentCount, parts);
    const strings = this.#finishStrings(documentCount, parts);
    parts.set(Part.meta, Uint32Array.of(...numbers, ...strings));
    return columnBytes(parts);
  }

  #finishNumbers(documentCount: number, parts: Map<Part, PartData>): [number, number] {
    const values = this.#numbers.subarray(0, this.#numberRanks.length);
    if (values.length === 0) return [0, 0];
    const distinct = distinctValues(values);
    const ordinals = new Uint32Array(values.length);
    for (let i = 0; i < values.length; i++) ordinals[i] = lowerBound(distinct, values[i]!);
    const entries = withoutRepeats(this.#numberRanks.view(), ordinals, null);
    parts.set(Part.numbers, distinct);
    return [
      distinct.length,
      writeValuePostings(entries, distinct.length, documentCount, NUMBER_POSTINGS, parts),
    ];
  }

  #finishStrings(documentCount: number, parts: Map<Part, PartData>): [number, number, number] {
    const ranks = this.#stringRanks.view();
    const spellings = this.#spellings;
    if (spellings === null) return [0, 0, 0];
    const normalized = normalizeAll(spellings);
    const spellingOf = this.#stringSpellings.view();
    const ordinals = spellingOf.map((spelling) => normalized.ordinals[spelling]!);
    const entries = withoutRepeats(ranks, ordinals, spellingOf);
    const { count } = normalized;
    const layout = writeValuePostings(entries, count, documentCount, STRING_POSTINGS, parts);
    const choiceMax = writeTexts(spellings, normalized, entries, parts);
    return [count, layout, choiceMax];
  }
}

/** Lays out the texts and their spellings; returns the greatest spelling choice. */
function writeTexts(
  spellings: TermInterner,
  { texts, order, ordinals, count }: NormalizedValues,
  entries: SpelledEntries,
  parts: Map<Part, PartData>,
): number {
  const writer = new ValueDictionaryWriter();
  for (const term of order) writer.add(texts.arena, texts.start(term), texts.end(term));
  const { text, textGroups } = writer.finish();
  parts.set(Part.text, text);
  parts.set(Part.textGroups, textGroups);
  const spelled = new ValueSpellingsWriter();
  const several = severalSpellings(ordinals, count, entries);
  const single = new Uint32Array(count);
  for (let spelling = 0; spelling < ordinals.length; spelling++)
    single[ordinals[spelling]!] = spelling;
  for (let ordinal = 0; ordinal < count; ordinal++) {
    const term = order[ordinal]!;
    const only = single[ordinal]!;
    const mayBePlain = several.size === 0 || !several.has(ordinal);
    if (mayBePlain && spelled.addPlain(spellings, only, texts, term)) continue;
    const choices = several.get(ordinal) ?? [only];
    const distinct = [...new Set(choices)];
    const numbers = new Map(distinct.map((spelling, i) => [spelling, i]));
    spelled.add(
      termText(texts, term),
      distinct.map((spelling) => termText(spellings, spelling)),
      choices.map((spelling) => numbers.get(spelling)!),
    );
  }
  const done = spelled.finish();
  parts.set(Part.spellings, done.spellings);
  parts.set(Part.spellingGroups, done.groups);
  const choices = numberArray(done.choices.length, done.choiceMax);
  choices.set(done.choices);
  parts.set(Part.spellingChoices, choices);
  return done.choiceMax;
}

/** Values that have several spellings → the spelling of each of their documents. */
function severalSpellings(
  ordinalOfSpelling: Uint32Array,
  count: number,
  { ordinals, spellings }: SpelledEntries,
): Map<number, number[]> {
  const found = new Map<number, number[]>();
  if (ordinalOfSpelling.length === count) return found;
  const seen = new Uint8Array(count);
  for (const ordinal of ordinalOfSpelling) {
    if (seen[ordinal] === 1) found.set(ordinal, []);
    seen[ordinal] = 1;
  }
  for (let i = 0; i < ordinals.length; i++) found.get(ordinals[i]!)?.push(spellings[i]!);
  return found;
}

const termText = (terms: TermInterner, term: number): string =>
  decodeUtf8(terms.arena, terms.start(term), terms.end(term));

function distinctValues(values: Float64Array): Float64Array {
  const sorted = values.slice().sort();
  let count = 0;
  for (let i = 0; i < sorted.length; i++)
    if (i === 0 || sorted[i] !== sorted[i - 1]) sorted[count++] = sorted[i]!;
  return sorted.slice(0, count);
}

interface NormalizedValues {
  /** Normalised form of the spellings, by term number. */
  readonly texts: TermInterner;
  /** Ordinal → term number. */
  readonly order: Uint32Array;
  /** Number of the spelling → ordinal of its value. */
  readonly ordinals: Uint32Array;
  readonly count: number;
}

function normalizeAll(spellings: TermInterner): NormalizedValues {
  const texts = new TermInterner(FIRST_SLOTS);
  const terms = new Uint32Array(spellings.count);
  for (let spelling = 0; spelling < terms.length; spelling++) {
    const start = spellings.start(spelling);
    const end = spellings.end(spelling);
    let bytes: Uint8Array = scratch;
    let length =
      end - start <= scratch.length ? lowerAsciiInto(spellings.arena, start, end, scratch) : -1;
    if (length < 0) {
      bytes = encodeUtf8(normalizeValue(decodeUtf8(spellings.arena, start, end)));
      length = bytes.length;
    }
    const kept = storedValueLength(bytes, length);
    terms[spelling] = texts.intern(bytes, kept, hashBytes(bytes, 0, kept));
  }
  const order = texts.sorted();
  const ordinalOfTerm = new Uint32Array(order.length);
  for (let ordinal = 0; ordinal < order.length; ordinal++) ordinalOfTerm[order[ordinal]!] = ordinal;
  return { texts, order, ordinals: terms.map((term) => ordinalOfTerm[term]!), count: order.length };
}

/** Normalised form of ASCII text without surrounding white space; −1 for any other text. */
function lowerAsciiInto(bytes: Uint8Array, start: number, end: number, out: Uint8Array): number {
  if (start < end && (bytes[start]! <= 0x20 || bytes[end - 1]! <= 0x20)) return -1;
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!;
    if (byte >= 0x80) return -1;
    out[i - start] = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
  }
  return end - start;
}

/**
 * Entries in order of rank and ordinal; duplicates of a document and value are dropped, the last
 * spelling stays.
 */
function withoutRepeats(
  ranks: Uint32Array,
  ordinals: Uint32Array,
  spellings: Uint32Array | null,
): SpelledEntries {
  const kept = {
    ranks: new Uint32Array(ranks.length),
    ordinals: new Uint32Array(ranks.length),
    spellings: new Uint32Array(ranks.length),
  };
  let count = 0;
  for (let start = 0; start < ranks.length; ) {
    const rank = ranks[start]!;
    const first = count;
    let end = start;
    for (; end < ranks.length && ranks[end] === rank; end++) {
      const spelling = spellings === null ? 0 : spellings[end]!;
      if (keepEntry(kept, { first, count }, ordinals[end]!, spelling)) kept.ranks[count++] = rank;
    }
    start = end;
  }
  return {
    ranks: kept.ranks.subarray(0, count),
    ordinals: kept.ordinals.subarray(0, count),
    spellings: kept.spellings.subarray(0, count),
  };
}

/** Inserts an entry of a document, whose entries begin at `first`; false if only its spelling is new. */
function keepEntry(
  { ordinals, spellings }: SpelledEntries,
  { first, count }: { readonly first: number; readonly count: number },
  ordinal: number,
  spelling: number,
): boolean {
  let at = count;
  while (at > first && ordinals[at - 1]! > ordinal) at--;
  const isKnown = at > first && ordinals[at - 1] === ordinal;
  if (isKnown) at -= 1;
  else {
    ordinals.copyWithin(at + 1, at, count);
    spellings.copyWithin(at + 1, at, count);
    ordinals[at] = ordinal;
  }
  spellings[at] = spelling;
  return !isKnown;
}
