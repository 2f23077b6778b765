/**
 * The distinct strings of a column in fully normalised form, ascending by bytes, for prefix search
 * with typos. Built from the column at the first facet search.
 */
import { partitionPoint } from '../../core/partition-point.ts';
import { codePointAt, codePointBytes, compareBytes, encodeUtf8 } from '../../engine/bytes/utf8.ts';
import type { StringValues } from '../../engine/columns/columns-reader.ts';
import { openAutomaton, type TypoAutomaton } from '../../engine/dictionary/typo-automaton.ts';
import { ByteBuffer } from '../../engine/json/byte-buffer.ts';
import type { FacetVocabulary } from '../snapshot/cached-values.ts';

/** Condition on the start of values. */
export interface FacetQuery {
  readonly text: string;
  /** True if the complete value must equal the text. */
  readonly isExact: boolean;
  readonly typosMax: number;
}

/** UTF-8; a view. */
export const formAt = ({ text, starts }: FacetVocabulary, place: number): Uint8Array =>
  text.subarray(starts[place], starts[place + 1]);

/**
 * Values that equal their normalised form are already in order; all others are sorted and merged
 * in.
 * @param look called for each value read
 */
export function buildFacetVocabulary(
  strings: StringValues,
  normalize: (text: string) => string,
  look: () => void,
): FacetVocabulary {
  const changed = changedForms(strings, normalize, look);
  const writer = new FacetVocabularyWriter(strings.count);
  const isChanged = new Uint8Array(strings.count);
  for (const { ordinal } of changed) isChanged[ordinal] = 1;
  let next = 0;
  for (let ordinal = 0; ordinal < strings.count; ordinal++) {
    look();
    if (isChanged[ordinal] === 1) continue;
    const form = strings.bytesAt(ordinal);
    for (; next < changed.length && isBefore(changed[next]!, form, ordinal); next++) {
      writer.add(changed[next]!.form, changed[next]!.ordinal);
    }
    writer.add(form, ordinal);
  }
  for (; next < changed.length; next++) writer.add(changed[next]!.form, changed[next]!.ordinal);
  return writer.finish();
}

interface Form {
  readonly form: Uint8Array;
  readonly ordinal: number;
}

function isBefore(changed: Form, form: Uint8Array, ordinal: number): boolean {
  const order = compareBytes(changed.form, form);
  return order < 0 || (order === 0 && changed.ordinal < ordinal);
}

/** Plain ASCII needs no change: the values are already in lower case. */
function changedForms(
  strings: StringValues,
  normalize: (text: string) => string,
  look: () => void,
): Form[] {
  const changed: Form[] = [];
  for (let ordinal = 0; ordinal < strings.count; ordinal++) {
    look();
    if (isPlain(strings.bytesAt(ordinal))) continue;
    changed.push({ form: encodeUtf8(normalize(strings.textAt(ordinal))), ordinal });
  }
  return changed.sort((a, b) => compareBytes(a.form, b.form) || a.ordinal - b.ordinal);
}

function isPlain(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i]! < 0x20 || bytes[i]! > 0x7e) return false;
  return true;
}

class FacetVocabularyWriter {
  readonly #text = new ByteBuffer();
  readonly #starts: Uint32Array;
  readonly #shared: Uint16Array;
  readonly #ordinals: Uint32Array;
  #count = 0;

  constructor(count: number) {
    this.#starts = new Uint32Array(count + 1);
    this.#shared = new Uint16Array(count);
    this.#ordinals = new Uint32Array(count);
  }

  add(form: Uint8Array, ordinal: number): void {
    const place = this.#count++;
    const text = this.#text;
    const before = place === 0 ? 0 : this.#starts[place - 1]!;
    const max = Math.min(form.length, text.length - before);
    let shared = 0;
    while (shared < max && text.bytes[before + shared] === form[shared]) shared++;
    this.#shared[place] = shared;
    this.#ordinals[place] = ordinal;
    text.pushRange(form, 0, form.length);
    this.#starts[place + 1] = text.length;
  }

  finish(): FacetVocabulary {
    return {
      count: this.#count,
      text: this.#text.copy(),
      starts: this.#starts,
      shared: this.#shared,
      ordinals: this.#ordinals,
    };
  }
}

/**
 * Calls `visit` with the matching places, ascending.
 * @param look called for each value read
 */
export function findForms(
  values: FacetVocabulary,
  query: FacetQuery,
  visit: (place: number) => void,
  look: () => void,
): void {
  const points = Array.from(query.text, (character) => character.codePointAt(0)!);
  if (query.isExact || query.typosMax === 0 || points.length === 0) {
    findBeginning(values, encodeUtf8(query.text), query.isExact, visit, look);
    return;
  }
  const automaton = openAutomaton(points, query.typosMax);
  try {
    findSimilar(values, automaton, visit, look);
  } finally {
    automaton.close();
  }
}

function findBeginning(
  values: FacetVocabulary,
  prefix: Uint8Array,
  isExact: boolean,
  visit: (place: number) => void,
  look: () => void,
): void {
  const isBefore = (place: number) => compareBytes(formAt(values, place), prefix) < 0;
  for (let place = partitionPoint(0, values.count, isBefore); place < values.count; place++) {
    look();
    const form = formAt(values, place);
    if (form.length < prefix.length || compareBytes(form.subarray(0, prefix.length), prefix) !== 0)
      return;
    if (isExact && form.length > prefix.length) return;
    visit(place);
  }
}

/**
 * A value matches when one of its prefixes is close enough to the query. Values that share the
 * bytes that decided the previous one are not read again.
 */
function findSimilar(
  values: FacetVocabulary,
  automaton: TypoAutomaton,
  visit: (place: number) => void,
  look: () => void,
): void {
  const reader = new PrefixReader(values, automaton);
  const isAlwaysNear = automaton.start <= automaton.limit;
  for (let place = 0; place < values.count; place++) {
    look();
    if (isAlwaysNear || reader.read(place)) visit(place);
  }
}

class PrefixReader {
  readonly #values: FacetVocabulary;
  readonly #automaton: TypoAutomaton;
  /** Bytes read at each depth of the automaton. */
  readonly #ends: number[] = [0];
  #depth = 0;
  /** Byte that decided the last value; infinite when only the end of the value decided. */
  #decidedAt = Number.POSITIVE_INFINITY;
  #isNear = false;

  constructor(values: FacetVocabulary, automaton: TypoAutomaton) {
    this.#values = values;
    this.#automaton = automaton;
  }

  /** Call it in ascending order of places. */
  read(place: number): boolean {
    const shared = this.#values.shared[place]!;
    if (this.#decidedAt <= shared) return this.#isNear;
    while (this.#ends[this.#depth]! > shared) this.#depth--;
    const { text, starts } = this.#values;
    const start = starts[place]!;
    const end = starts[place + 1]!;
    const { limit } = this.#automaton;
    for (let at = start + this.#ends[this.#depth]!; at < end; ) {
      const point = codePointAt(text, at, end);
      const state = this.#automaton.step(this.#depth, point);
      at += codePointBytes(point);
      this.#ends[++this.#depth] = at - start;
      this.#isNear = (state & 3) <= limit;
      if (this.#isNear || state >> 2 > limit) {
        this.#decidedAt = at - start;
        return this.#isNear;
      }
    }
    this.#decidedAt = Number.POSITIVE_INFINITY;
    this.#isNear = false;
    return false;
  }
}
