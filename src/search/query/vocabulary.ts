/**
 * The live words of a snapshot: exact look-up, prefixes and typos over the term dictionaries of all
 * segments.
 */

import { compareCodePoints } from '../../core/compare-text.ts';
import { getOrCompute } from '../../core/get-or-compute.ts';
import { limits } from '../../core/limits.ts';
import { compareBytes } from '../../engine/bytes/utf8.ts';
import type { OccurrenceBuffer } from '../../engine/postings/occurrence-key.ts';
import { hasBit } from '../../engine/sets/bitset.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import { CACHE_KINDS } from '../snapshot/cache-kinds.ts';
import type { SimilarTerms } from '../snapshot/cached-values.ts';
import type { Word, WordRanges } from '../snapshot/derivations.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import {
  allTerms,
  isProtectedNumber,
  type SimilarTo,
  similarTerms,
  spareTerms,
  takeSimilar,
} from './similar-terms.ts';

export interface SimilarWords {
  readonly oneTypo: Word[];
  readonly twoTypos: Word[];
}

const WORD_BYTES_MAX = limits.wordBytesMax;
const ONE_TYPO_WORDS_MAX: number = limits.oneTypoDerivationsMax;
const TWO_TYPO_WORDS_MAX: number = limits.twoTypoDerivationsMax;
/** Maximum number of completions of a prefix that is not frequent. */
const PREFIX_WORDS_MAX = 1000;
/** A prefix of at most this many bytes … */
const FREQUENT_PREFIX_BYTES_MAX = 4;
/** … with at least this many words is completed without a cap. */
const FREQUENT_PREFIX_WORDS_MIN = 100;

/**
 * Similar terms are cached for segments with at least this number of terms; in smaller segments the
 * search is fast.
 */
const SIMILAR_CACHED_TERMS_MIN = 4096;

const encoder = new TextEncoder();
const vocabularies = new WeakMap<IndexSnapshot, Vocabulary>();

/** The vocabulary of a snapshot, shared by all its searches. */
export function vocabularyOf(snapshot: IndexSnapshot): Vocabulary {
  return getOrCompute(vocabularies, snapshot, () => new Vocabulary(snapshot));
}

export class Vocabulary {
  readonly #snapshot: IndexSnapshot;
  readonly #segmentIds: readonly string[];
  /** By generation of earlier look-ups: for each segment its place in that generation. */
  readonly #places = new Map<number, readonly number[] | null>();

  constructor(snapshot: IndexSnapshot) {
    this.#snapshot = snapshot;
    this.#segmentIds = snapshot.segments.map(({ id }) => id);
  }

  /** The word, or null when no live document holds it. */
  find(text: string): Word | null {
    // No index holds the word, and the cache counts words, not their bytes.
    if (text.length > WORD_BYTES_MAX) return null;
    const { termOrdinalCache, manifest } = this.#snapshot;
    const { generation } = manifest;
    const known = termOrdinalCache.get(text);
    if (known?.generation === generation) return known.word;
    const places = known && known.generation < generation ? this.#placesIn(known.generation) : null;
    const word = this.#look(text, known?.word ?? null, places);
    termOrdinalCache.set(text, { word, generation });
    return word;
  }

  #placesIn(generation: number): readonly number[] | null {
    return getOrCompute(this.#places, generation, () =>
      this.#snapshot.termOrdinalCache.placesIn(generation, this.#segmentIds),
    );
  }

  /** @param places in the generation of `earlier`; null = `earlier` is not usable */
  #look(text: string, earlier: Word | null, places: readonly number[] | null): Word | null {
    const { segments } = this.#snapshot;
    let utf8: Uint8Array | null = null;
    const ordinals = segments.map(() => -1);
    let exists = false;
    for (let s = 0; s < segments.length; s++) {
      const place = places === null ? -1 : places[s]!;
      if (place >= 0 && earlier === null) continue;
      utf8 ??= encoder.encode(text);
      if (utf8.length === 0 || utf8.length > WORD_BYTES_MAX) return null;
      const ordinal = place >= 0 ? earlier!.ordinals[place]! : segments[s]!.terms.find(utf8);
      if (ordinal < 0 || !this.#isLive(s, ordinal)) continue;
      ordinals[s] = ordinal;
      exists = true;
    }
    return exists ? { text, ordinals } : null;
  }

  #isLive(segment: number, ordinal: number): boolean {
    const dead = this.#snapshot.dead[segment]!;
    return (
      dead === null || this.#snapshot.segments[segment]!.postings.hasLiveDocument(ordinal, dead)
    );
  }

  /**
   * True if typo tolerance may reach the word: a live document holds it in a tolerant field, and it
   * is not a protected number.
   */
  #isTolerant(s: number, ordinal: number, text: string): boolean {
    const { segments, dead, tolerant, liveBits, manifest } = this.#snapshot;
    if (isProtectedNumber(text, manifest.settings)) return false;
    const { fieldMap, inside, outside } = tolerant[s]!;
    const mask = segments[s]!.postings.fieldMask(ordinal);
    if ((mask & inside) === 0) return false;
    if ((mask & outside) === 0 || (dead[s] === null && (inside & outside) === 0)) return true;
    const { occurrences } = SCRATCH;
    occurrences.length = 0;
    segments[s]!.postings.readOccurrences(ordinal, liveBits, fieldMap, occurrences);
    return hasLiving(occurrences, dead[s]!);
  }

  /**
   * True if the completion of this prefix takes all words and ignores reversed neighbours
   * (relevance.md 2.2, prefix note).
   */
  isFrequentPrefix(prefix: string): boolean {
    const utf8 = encoder.encode(prefix);
    if (utf8.length > FREQUENT_PREFIX_BYTES_MAX) return false;
    return this.#reaches(this.#prefixBounds(utf8), FREQUENT_PREFIX_WORDS_MIN);
  }

  /** All words starting with `prefix`. */
  allStartingWith(prefix: string): WordRanges {
    return { bounds: this.#prefixBounds(encoder.encode(prefix)), last: null };
  }

  /** The first 1 000 words starting with `prefix` in byte order, the prefix itself not counted. */
  firstStartingWith(prefix: string): WordRanges {
    const bounds = this.#prefixBounds(encoder.encode(prefix));
    const cap = PREFIX_WORDS_MAX + (this.find(prefix) ? 1 : 0);
    if (!this.#reaches(bounds, cap + 1)) return { bounds, last: null };
    let last = '';
    let taken = 0;
    this.#eachWord(bounds, (text) => {
      last = text;
      return ++taken < cap;
    });
    return { bounds: this.#cutAfter(bounds, last), last };
  }

  #cutAfter(bounds: readonly number[], lastText: string): number[] {
    const last = encoder.encode(lastText);
    return bounds.map((bound, i) => {
      if ((i & 1) === 0) return bound;
      const { terms } = this.#snapshot.segments[i >>> 1]!;
      const end = terms.lowerBound(last);
      return Math.min(bound, terms.find(last) === end ? end + 1 : end);
    });
  }

  /** Visits the words with this prefix in byte order, until `visit` returns false. */
  eachStartingWith(beginning: string, visit: (text: string) => boolean): void {
    this.#eachWord(this.#prefixBounds(encoder.encode(beginning)), visit);
  }

  #prefixBounds(utf8: Uint8Array): number[] {
    return this.#snapshot.segments.flatMap(({ terms }) => {
      const { lo, hi } = terms.prefixRange(utf8);
      return [lo, hi];
    });
  }

  /**
   * True if the ranges contain at least `count` distinct live words. Exact counting is bounded by
   * `count` words.
   */
  #reaches(bounds: readonly number[], count: number): boolean {
    let sum = 0;
    for (let s = 0; s < bounds.length >>> 1; s++) sum += bounds[2 * s + 1]! - bounds[2 * s]!;
    if (sum < count) return false;
    let seen = 0;
    this.#eachWord(bounds, () => ++seen < count);
    return seen >= count;
  }

  /** Visits the distinct live words of the ranges in byte order until `visit` returns false. */
  #eachWord(bounds: readonly number[], visit: (text: string) => boolean): void {
    const { segments } = this.#snapshot;
    const at = Int32Array.from(segments, (_, s) => bounds[2 * s]!);
    const heads = segments.map((_, s) => this.#nextLive(at, bounds, s));
    for (;;) {
      const least = leastOf(heads);
      if (least === null) return;
      const text = new TextDecoder().decode(least);
      for (let s = 0; s < heads.length; s++) {
        const head = heads[s]!;
        if (head && compareBytes(head, least) === 0) {
          at[s]!++;
          heads[s] = this.#nextLive(at, bounds, s);
        }
      }
      if (!visit(text)) return;
    }
  }

  #nextLive(at: Int32Array, bounds: readonly number[], s: number): Uint8Array | null {
    while (at[s]! < bounds[2 * s + 1]! && !this.#isLive(s, at[s]!)) at[s]!++;
    return at[s]! < bounds[2 * s + 1]!
      ? this.#snapshot.segments[s]!.terms.bytes(at[s]!).slice()
      : null;
  }

  /** Words at one and two typos from a text (relevance.md 2.2), each list in byte order and capped. */
  similar(to: SimilarTo): SimilarWords {
    const { text, budget } = to;
    const found = new Map<string, Candidate>();
    const { segments } = this.#snapshot;
    for (let s = 0; s < segments.length; s++) this.#collectSimilar(s, to, found);
    return distribute(text, budget, tolerantByBytes(found));
  }

  /**
   * Adds the candidates of one segment. A word reached by typo counts in every segment, also in
   * segments where only fields without typo tolerance hold it. A segment that does not list a word
   * lists enough words before it for the limits.
   */
  #collectSimilar(s: number, to: SimilarTo, found: Map<string, Candidate>): void {
    const { segments } = this.#snapshot;
    const { terms } = segments[s]!;
    const take = (ordinal: number, distance: number): boolean => {
      if (!this.#isLive(s, ordinal)) return false;
      const text = terms.text(ordinal);
      let candidate = found.get(text);
      if (!candidate) {
        candidate = { text, distance, ordinals: segments.map(() => -1), isTolerant: false };
        found.set(text, candidate);
      }
      candidate.ordinals[s] = ordinal;
      if (!this.#isTolerant(s, ordinal, text)) return false;
      candidate.isTolerant = true;
      return true;
    };
    if (!takeSimilar(this.#similarTerms(s, to), to.budget, take))
      takeSimilar(similarTerms(terms, to, allTerms()), to.budget, take);
  }

  #similarTerms(s: number, to: SimilarTo): SimilarTerms {
    const { queryCache, segments } = this.#snapshot;
    const { id, terms } = segments[s]!;
    if (terms.termCount < SIMILAR_CACHED_TERMS_MIN) return similarTerms(terms, to, allTerms());
    return queryCache.getOrMake(CACHE_KINDS.similarTerms, { fileId: id, ...to }, () =>
      similarTerms(terms, to, spareTerms(to.budget)),
    );
  }
}

/** A word at one or two typos. */
interface Candidate extends Word {
  readonly distance: number;
  readonly ordinals: number[];
  /** Set if typo tolerance may reach the word in one of the segments. */
  isTolerant: boolean;
}

function tolerantByBytes(found: ReadonlyMap<string, Candidate>): Candidate[] {
  const all = [...found.values()].filter(({ isTolerant }) => isTolerant);
  return all.sort((a, b) => compareCodePoints(a.text, b.text));
}

/**
 * Distributes candidates to D1 and D2 in byte order, with the caps and the overflow of a full D2
 * into D1.
 */
function distribute(text: string, budget: 1 | 2, candidates: readonly Candidate[]): SimilarWords {
  const first = text.codePointAt(0);
  const beginsAlike = (candidate: Candidate): boolean => candidate.text.codePointAt(0) === first;
  const twoTyposMax = budget === 1 ? 0 : TWO_TYPO_WORDS_MAX;
  const oneTypo: Word[] = [];
  const twoTypos: Word[] = [];
  for (const candidate of budget === 1 ? candidates.filter(beginsAlike) : candidates) {
    const isAlike = beginsAlike(candidate);
    const isFull = twoTypos.length >= twoTyposMax;
    if (candidate.distance === 1 && (isAlike || isFull)) oneTypo.push(candidate);
    else if (!isFull && candidate.distance === (isAlike ? 2 : 1)) twoTypos.push(candidate);
  }
  return { oneTypo: oneTypo.slice(0, ONE_TYPO_WORDS_MAX), twoTypos };
}

function leastOf(heads: readonly (Uint8Array | null)[]): Uint8Array | null {
  let least: Uint8Array | null = null;
  for (const head of heads)
    if (head && (least === null || compareBytes(head, least) < 0)) least = head;
  return least;
}

function hasLiving({ docs, length }: OccurrenceBuffer, dead: Uint32Array | null): boolean {
  if (dead === null) return length > 0;
  for (let i = 0; i < length; i++) if (!hasBit(dead, docs[i]!)) return true;
  return false;
}
