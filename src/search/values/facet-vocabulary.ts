/**
 * The distinct strings of a column in fully normalised form, ascending by bytes, for prefix search
 * with typos. Built from the column at the first facet search.
 */
import { partitionPoint } from '../../core/partition-point.ts';
import { ByteBuffer } from '../../engine/bytes/byte-buffer.ts';
import { codePointAt, codePointBytes, compareBytes, encodeUtf8 } from '../../engine/bytes/utf8.ts';
import type { StringValues } from '../../engine/columns/columns-reader.ts';
import { openAutomaton, type TypoAutomaton } from '../../engine/dictionary/typo-automaton.ts';
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
  const isChanged = new Uint8Array(strings.count);
  for (const { ordinal } of changed) isChanged[ordinal] = 1;
  const text = new ByteBuffer();
  const starts = new Uint32Array(strings.count + 1);
  const shared = new Uint16Array(strings.count);
  const ordinals = new Uint32Array(strings.count);
  let place = 0;
  const add = ({ form, ordinal }: Form): void => {
    if (place > 0)
      shared[place] = sharedLength(text.bytes.subarray(starts[place - 1], text.length), form);
    ordinals[place++] = ordinal;
    text.pushBytes(form);
    starts[place] = text.length;
  };
  let next = 0;
  for (let ordinal = 0; ordinal < strings.count; ordinal++) {
    look();
    if (isChanged[ordinal] === 1) continue;
    const form = strings.bytesAt(ordinal);
    for (; next < changed.length && isBefore(changed[next]!, form, ordinal); next++)
      add(changed[next]!);
    add({ form, ordinal });
  }
  for (; next < changed.length; next++) add(changed[next]!);
  return { count: place, text: text.copy(), starts, shared, ordinals };
}

/** Length of the common prefix. */
function sharedLength(a: Uint8Array, b: Uint8Array): number {
  const max = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < max && a[shared] === b[shared]) shared++;
  return shared;
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
  const isNear = nearnessReader(values, automaton);
  const isAlwaysNear = automaton.start <= automaton.limit;
  for (let place = 0; place < values.count; place++) {
    look();
    if (isAlwaysNear || isNear(place)) visit(place);
  }
}

/** Returns whether a prefix of the form at a place is near. Places must ascend. */
function nearnessReader(
  { text, starts, shared }: FacetVocabulary,
  automaton: TypoAutomaton,
): (place: number) => boolean {
  const { limit } = automaton;
  /** Bytes read at each depth of the automaton. */
  const ends = [0];
  let depth = 0;
  /** Byte that decided the last value; infinite when only the end of the value decided. */
  let decidedAt = Number.POSITIVE_INFINITY;
  let isNear = false;
  return (place) => {
    if (decidedAt <= shared[place]!) return isNear;
    while (ends[depth]! > shared[place]!) depth--;
    const start = starts[place]!;
    const end = starts[place + 1]!;
    for (let at = start + ends[depth]!; at < end; ) {
      const point = codePointAt(text, at, end);
      const state = automaton.step(depth, point);
      at += codePointBytes(point);
      ends[++depth] = at - start;
      isNear = (state & 3) <= limit;
      if (isNear || state >> 2 > limit) {
        decidedAt = at - start;
        return isNear;
      }
    }
    decidedAt = Number.POSITIVE_INFINITY;
    isNear = false;
    return false;
  };
}
