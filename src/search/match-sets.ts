/** Documents that hold a word, a pair of neighbours, a phrase or a level of a query node, as bitsets of live documents. */
import type { OccurrenceBuffer } from '../engine/segment/segment.ts';
import { andInto, andNotInto, countAnd, countBits, exceptBits, orInto } from '../engine/sets/bitset.ts';
import { DocSet } from './doc-set.ts';
import type { FieldScope } from './field-scope.ts';
import type { IndexSnapshot } from './index-snapshot.ts';
import { isProtectedNumber } from './protected-numbers.ts';
import { derivedLevels, type Phrase, type QueryNode } from './query-node.ts';
import type { RequestScopes } from './request-scopes.ts';
import type { Word, WordRanges } from './vocabulary.ts';

export type TypoLevel = 0 | 1 | 2;

/** Longest product of occurrences of two words in one document that is compared pair by pair. */
const NESTED_PAIRS_MAX = 256;

/** Bitsets of at most this many bytes are kept for later searches whatever they hold, larger ones when they are not sparse. */
const KEPT_BITS_BYTES_MAX = 16 << 10;

export class MatchSets {
  readonly #snapshot: IndexSnapshot;
  readonly #scopes: Omit<RequestScopes, 'presentFields'>;
  readonly #byAttribute: boolean;
  readonly #protectsNumbers: boolean;
  /** Bits by word, for each of the two scopes and for all searchable fields. */
  readonly #present = new Map<Word, Uint32Array>();
  readonly #everywhere = new Map<Word, Uint32Array>();
  readonly #pairs = new Map<string, Uint32Array>();
  readonly #levels = new Map<number, Uint32Array>();
  readonly #phrases = new Map<Phrase, Uint32Array>();

  /**
   * The same for all searchable fields, exact ones too: words have positions there, whatever fields a request is bound to.
   * null when that makes no difference.
   */
  readonly anywhere: MatchSets | null;

  constructor(snapshot: IndexSnapshot, scopes: RequestScopes | null) {
    const { everywhere, manifest } = snapshot;
    this.#snapshot = snapshot;
    this.#scopes = scopes ?? { key: 'everywhere', present: everywhere, tolerant: everywhere };
    this.#protectsNumbers = scopes !== null && manifest.settings.typoTolerance.disableOnNumbers;
    const isBound =
      this.#scopes.present !== everywhere || this.#scopes.tolerant !== everywhere || this.#protectsNumbers;
    this.anywhere = isBound ? new MatchSets(snapshot, null) : null;
    this.#byAttribute = snapshot.manifest.settings.proximityPrecision === 'byAttribute';
  }

  /** The empty set. The caller must not write to it. */
  get none(): Uint32Array {
    return this.#snapshot.noBits;
  }

  newBits(): Uint32Array {
    return new Uint32Array(this.#snapshot.words);
  }

  liveBits(): Uint32Array {
    return this.#snapshot.liveBits;
  }

  /** Documents holding the word in the request's fields. The caller must not write to the result. */
  word(word: Word): Uint32Array {
    return this.#memoWord(this.#present, word, this.#scopes.present);
  }

  #memoWord(memo: Map<Word, Uint32Array>, word: Word, scope: FieldScope): Uint32Array {
    let bits = memo.get(word);
    if (!bits) {
      const find = () => {
        const found = this.newBits();
        this.#addWord(word, scope, found);
        return found;
      };
      bits = scope === this.#snapshot.everywhere ? this.#keptBits(`word ${word.text}`, find) : find();
      memo.set(word, bits);
    }
    return bits;
  }

  /** What an earlier search of the generation has found, or this one finds and leaves to later ones. */
  #keptBits(name: string, find: () => Uint32Array): Uint32Array {
    const { cache, cacheKey } = this.#snapshot;
    const key = `${cacheKey} ${name}`;
    const known = cache.get(key);
    if (known) return known as Uint32Array;
    const bits = find();
    if (bits.byteLength <= KEPT_BITS_BYTES_MAX || countBits(bits) >= bits.length) cache.set(key, bits, bits.byteLength);
    return bits;
  }

  #addWord(word: Word, scope: FieldScope, into: Uint32Array): void {
    for (let s = 0; s < word.ordinals.length; s++) {
      const ordinal = word.ordinals[s]!;
      if (ordinal >= 0) this.#addRange(s, ordinal, ordinal + 1, scope, into);
    }
  }

  #addRanges(ranges: WordRanges, scope: FieldScope, into: Uint32Array): void {
    for (let s = 0; s < ranges.bounds.length >>> 1; s++) {
      const lo = ranges.bounds[2 * s]!;
      const hi = ranges.bounds[2 * s + 1]!;
      if (lo < hi) this.#addRange(s, lo, hi, scope, into);
    }
  }

  /** The text of an ngram and its completions, protected numbers left out. */
  #addTolerant(exact: Word | null, completions: WordRanges | null, text: string, into: Uint32Array): void {
    const { manifest, segments } = this.#snapshot;
    const isProtected = (word: string): boolean => this.#protectsNumbers && isProtectedNumber(word, manifest.settings);
    if (!isProtected(text)) {
      if (exact) this.#addWord(exact, this.#scopes.tolerant, into);
      if (completions) this.#addRanges(completions, this.#scopes.tolerant, into);
      return;
    }
    if (!completions) return;
    segments.forEach(({ terms }, s) => {
      const end = completions.bounds[2 * s + 1]!;
      for (let term = completions.bounds[2 * s]!; term < end; term++) {
        if (!isProtected(terms.text(term))) this.#addRange(s, term, term + 1, this.#scopes.tolerant, into);
      }
    });
  }

  /** Ors the live documents of the terms `[lo, hi)` of segment `s` that lie in the scope. */
  #addRange(s: number, lo: number, hi: number, scope: FieldScope, into: Uint32Array): void {
    const dead = this.#snapshot.dead[s]!;
    if (dead === null) {
      this.#addRaw(s, lo, hi, scope, into);
      return;
    }
    const bits = this.newBits();
    this.#addRaw(s, lo, hi, scope, bits);
    orInto(into, andNotInto(bits, dead));
  }

  #addRaw(s: number, lo: number, hi: number, scope: FieldScope, into: Uint32Array): void {
    const segment = this.#snapshot.segments[s]!;
    const { fieldMap, inside, outside } = scope[s]!;
    if (outside === 0) {
      if (hi - lo === 1) segment.addDocuments(lo, into);
      else segment.addRangeDocuments(lo, hi, into);
      return;
    }
    const { occurrences } = this.#snapshot.scratch;
    for (let term = lo; term < hi; term++) {
      const mask = segment.fieldMask(term);
      if ((mask & inside) === 0) continue;
      if ((mask & outside) === 0) {
        segment.addDocuments(term, into);
        continue;
      }
      occurrences.length = 0;
      segment.readOccurrences(term, this.#snapshot.liveBits, fieldMap, occurrences);
      for (let i = 0; i < occurrences.length; i++)
        into[occurrences.docs[i]! >>> 5]! |= 1 << (occurrences.docs[i]! & 31);
    }
  }

  /** Upper bound of the documents that hold the two words side by side. */
  togetherBound(left: Word, right: Word): number {
    const a = this.#memoWord(this.#everywhere, left, this.#snapshot.everywhere);
    const b = this.#memoWord(this.#everywhere, right, this.#snapshot.everywhere);
    return countAnd(a, b);
  }

  /** Documents in which `left` is immediately followed by `right`. */
  neighbourCount(left: Word, right: Word): number {
    return countBits(this.#pair(left, right, 1));
  }

  /** Documents in which the two words share a field, when a phrase or a split of this search has asked for the pair; else null. */
  knownFieldPair(left: string, right: string): Uint32Array | null {
    return this.#pairs.get(`1${left}\u0000${right}`) ?? this.#pairs.get(`2${left}\u0000${right}`) ?? null;
  }

  /**
   * Documents whose stored distance from `left` to `right` is at most `distance` (1 or 2), in any field; or, by attribute, that hold
   * both in one of the request's fields.
   */
  #pair(left: Word, right: Word, distance: 1 | 2): Uint32Array {
    const key = `${distance}${left.text}\u0000${right.text}`;
    let bits = this.#pairs.get(key);
    if (!bits) {
      const scope = this.#byAttribute ? this.#scopes.present : this.#snapshot.everywhere;
      const find = (): Uint32Array => this.#findPairs(left, right, distance, scope);
      bits = scope === this.#snapshot.everywhere ? this.#keptPair(key, find) : find();
      this.#pairs.set(key, bits);
    }
    return bits;
  }

  /** Neighbours found by earlier searches of the generation, or by this one for later ones. */
  #keptPair(key: string, find: () => Uint32Array): Uint32Array {
    const { cache, cacheKey } = this.#snapshot;
    const known = cache.get(`${cacheKey} pair ${key}`) as DocSet | undefined;
    if (known) {
      const bits = this.newBits();
      known.addTo(bits);
      return bits;
    }
    const bits = find();
    const docs = DocSet.fromBits(bits.slice());
    cache.set(`${cacheKey} pair ${key}`, docs, docs.bytes);
    return bits;
  }

  #findPairs(left: Word, right: Word, distance: 1 | 2, scope: FieldScope): Uint32Array {
    const { segments, dead, scratch, everywhere } = this.#snapshot;
    const both = this.#memoWord(this.#everywhere, left, everywhere).slice();
    const other = this.#memoWord(this.#everywhere, right, everywhere);
    andInto(both, other);
    const found = this.newBits();
    for (let s = 0; s < segments.length; s++) {
      if (left.ordinals[s]! < 0 || right.ordinals[s]! < 0) continue;
      const candidates = exceptBits(both, dead[s]!);
      const { fieldMap } = scope[s]!;
      const a = scratch.occurrences;
      const b = scratch.otherOccurrences;
      a.length = 0;
      b.length = 0;
      segments[s]!.readOccurrences(left.ordinals[s]!, candidates, fieldMap, a);
      segments[s]!.readOccurrences(right.ordinals[s]!, candidates, fieldMap, b);
      markPairs(a, b, this.#byAttribute ? 0 : distance, found);
    }
    return found;
  }

  /** Documents that match the phrase (relevance.md 2.4). */
  phrase(phrase: Phrase): Uint32Array {
    let bits = this.#phrases.get(phrase);
    if (!bits) {
      bits = this.#matchPhrase(phrase);
      this.#phrases.set(phrase, bits);
    }
    return bits;
  }

  #matchPhrase({ slots }: Phrase): Uint32Array {
    const bits = this.#snapshot.liveBits.slice();
    for (const word of slots) if (word) andInto(bits, this.word(word));
    for (let i = 0; i < slots.length; i++) {
      const word = slots[i];
      const next = slots[i + 1];
      const afterNext = slots[i + 2];
      if (word && next) andInto(bits, this.#pair(word, next, 1));
      if (word && afterNext) andInto(bits, this.#pair(word, afterNext, 2));
    }
    return bits;
  }

  /** Documents holding a derivation of the node at exactly this level. The caller must not write to the result. */
  level(node: QueryNode, level: TypoLevel): Uint32Array {
    if (((derivedLevels(node) >>> level) & 1) === 0) return this.#snapshot.noBits;
    return this.#nodeBits(node, 1 << level, () => this.#matchLevel(node, level));
  }

  /** @param levels a mask */
  #nodeBits(node: QueryNode, levels: number, find: () => Uint32Array): Uint32Array {
    const memoKey = node.number * 8 + levels;
    let bits = this.#levels.get(memoKey);
    if (!bits) {
      bits = node.key === null ? find() : this.#keptBits(`node ${this.#scopes.key} ${levels} ${node.key}`, find);
      this.#levels.set(memoKey, bits);
    }
    return bits;
  }

  #matchLevel(node: QueryNode, level: TypoLevel): Uint32Array {
    const bits = this.newBits();
    const { exact, completions, synonyms, phrase, oneTypo, split, twoTypos } = node.derivations;
    if (level === 0) {
      if (node.reachesExactFields) {
        if (exact) this.#addWord(exact, this.#scopes.present, bits);
        if (completions) this.#addRanges(completions, this.#scopes.present, bits);
      } else this.#addTolerant(exact, completions, node.text, bits);
      for (const synonym of synonyms) orInto(bits, this.phrase(synonym));
      if (phrase) orInto(bits, this.phrase(phrase));
    } else if (level === 1) {
      for (const word of oneTypo) this.#addWord(word, this.#scopes.tolerant, bits);
      if (split) orInto(bits, this.phrase(split));
    } else {
      for (const word of twoTypos) this.#addWord(word, this.#scopes.tolerant, bits);
    }
    return bits;
  }

  /** Documents holding a derivation of one of several levels, a mask. The caller must not write to the result. */
  union(node: QueryNode, levels: number): Uint32Array {
    const derived = levels & derivedLevels(node);
    if ((derived & (derived - 1)) === 0) return this.level(node, (31 - Math.clz32(derived | 1)) as TypoLevel);
    return this.#nodeBits(node, derived, () => {
      const bits = this.newBits();
      for (const level of [0, 1, 2] as const) if ((derived >>> level) & 1) orInto(bits, this.level(node, level));
      return bits;
    });
  }

  /** Documents holding the node's exact term: the phrase, or the word itself; none for an ngram. */
  exact(node: QueryNode): Uint32Array {
    if (node.derivations.phrase) return this.phrase(node.derivations.phrase);
    if (node.kind === 'word' && node.derivations.exact) return this.word(node.derivations.exact);
    return this.#snapshot.noBits;
  }
}

/** Marks documents where an occurrence of `a` precedes one of `b` by at most `distance`; 0 asks for one common field only. */
function markPairs(a: OccurrenceBuffer, b: OccurrenceBuffer, distance: number, found: Uint32Array): void {
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const doc = a.docs[i]!;
    if (doc < b.docs[j]!) i++;
    else if (doc > b.docs[j]!) j++;
    else {
      const aEnd = endOfDocument(a, i);
      const bEnd = endOfDocument(b, j);
      if (hasPair(a.keys, i, aEnd, b.keys, j, bEnd, distance)) found[doc >>> 5]! |= 1 << (doc & 31);
      i = aEnd;
      j = bEnd;
    }
  }
}

function endOfDocument({ docs, length }: OccurrenceBuffer, from: number): number {
  let end = from + 1;
  while (end < length && docs[end] === docs[from]) end++;
  return end;
}

function hasPair(
  a: Uint32Array,
  aFrom: number,
  aEnd: number,
  b: Uint32Array,
  bFrom: number,
  bEnd: number,
  distance: number,
): boolean {
  if ((aEnd - aFrom) * (bEnd - bFrom) > NESTED_PAIRS_MAX)
    return hasPairSorted(a.slice(aFrom, aEnd), b, bFrom, bEnd, distance);
  for (let j = bFrom; j < bEnd; j++) {
    const key = b[j]!;
    for (let i = aFrom; i < aEnd; i++) {
      if (a[i]! >>> 16 !== key >>> 16) continue;
      const gap = key - a[i]!;
      if (distance === 0 || (gap >= 1 && gap <= distance)) return true;
    }
  }
  return false;
}

/** The same for many occurrences: looks each wanted key up. Takes ownership of `a`. */
function hasPairSorted(a: Uint32Array, b: Uint32Array, bFrom: number, bEnd: number, distance: number): boolean {
  const wanted = new Set<number>(distance === 0 ? a.map((key) => key >>> 16) : a);
  for (let j = bFrom; j < bEnd; j++) {
    const key = b[j]!;
    if (distance === 0) {
      if (wanted.has(key >>> 16)) return true;
      continue;
    }
    for (let gap = 1; gap <= distance && gap <= (key & 0xffff); gap++) if (wanted.has(key - gap)) return true;
  }
  return false;
}
