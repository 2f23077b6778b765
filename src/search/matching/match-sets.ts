/**
 * Live documents that contain a word, a pair of neighbours, a phrase, or a query node with a given
 * number of typos.
 */
import { getOrCompute } from '../../core/get-or-compute.ts';
import type { PairTerms } from '../../engine/postings/pair-kernel.ts';
import { derivedTypoMask, nodeWithin, type QueryNode } from '../query/query-node.ts';
import { isProtectedNumber } from '../query/similar-terms.ts';
import { DocSet } from '../sets/doc-set.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import { listWithBit } from '../sets/sorted-lists.ts';
import { CACHE_KINDS } from '../snapshot/cache-kinds.ts';
import type { Chunks, Phrase, Word, WordRanges } from '../snapshot/derivations.ts';
import type { FieldScope } from '../snapshot/field-scope.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { mayHold, phraseWithin, scopeWithin, wordWithin } from '../snapshot/segment-subset.ts';
import { dropDead, listedIfFew } from './read-terms.ts';
import type { RequestScopes } from './request-scopes.ts';
import { TermDocuments } from './term-documents.ts';
import {
  collectPairs,
  type ListedPairs,
  listedDocuments,
  listedPairs,
  neighbourBound,
  unlistedPairs,
  unlistedSegments,
} from './word-pairs.ts';

export type TypoCount = 0 | 1 | 2;

/** Pairs are searched within a set when at least this many times its size may contain them. */
const WITHIN_SHARE = 2;

type MatchScopes = Omit<RequestScopes, 'presentFields'>;

export class MatchSets {
  readonly #snapshot: IndexSnapshot;
  readonly #byAttribute: boolean;
  readonly #protectsNumbers: boolean;
  readonly #words = new Map<Word, DocSet>();
  readonly #pairs = new Map<string, DocSet>();
  /** Documents by node number and typo mask. */
  readonly #nodes = new Map<number, DocSet>();
  readonly #phrases = new Map<Phrase, DocSet>();
  /** Documents by number of a node that is narrowed to its exact term. */
  readonly #narrowed = new Map<number, DocSet>();
  readonly #requestScopes: MatchScopes | null;
  readonly #parts = new Map<IndexSnapshot, MatchSets>();

  /**
   * Match sets for all searchable fields, including exact ones: positions of words exist there,
   * whatever fields the request uses. null if these are the same.
   */
  readonly anywhere: MatchSets | null;

  /** The fields in which words count. */
  readonly scopes: MatchScopes;

  /** The empty set. */
  readonly none: DocSet;

  constructor(snapshot: IndexSnapshot, scopes: MatchScopes | null) {
    const { everywhere, manifest } = snapshot;
    this.#snapshot = snapshot;
    this.#requestScopes = scopes;
    this.scopes = scopes ?? { key: 'everywhere', present: everywhere, tolerant: everywhere };
    this.#protectsNumbers = scopes !== null && manifest.settings.typoTolerance.disableOnNumbers;
    const isBound =
      this.scopes.present !== everywhere ||
      this.scopes.tolerant !== everywhere ||
      this.#protectsNumbers;
    this.anywhere = isBound ? new MatchSets(snapshot, null) : null;
    this.none = DocSet.empty(snapshot.bitsetLength);
    this.#byAttribute = snapshot.manifest.settings.proximityPrecision === 'byAttribute';
  }

  /** Match sets of a part of the snapshot. */
  within(part: IndexSnapshot): MatchSets {
    const whole = this.#snapshot;
    if (part === whole) return this;
    return getOrCompute(this.#parts, part, () => {
      const scopes = this.#requestScopes;
      const own = scopes && {
        key: scopes.key,
        present: scopeWithin(scopes.present, whole, part),
        tolerant: scopeWithin(scopes.tolerant, whole, part),
      };
      return new MatchSets(part, own);
    });
  }

  /** Living documents. */
  get live(): DocSet {
    return this.#snapshot.live;
  }

  /** True if only the word itself matches, in exact fields too. */
  isProtected(text: string): boolean {
    return this.#protectsNumbers && isProtectedNumber(text, this.#snapshot.manifest.settings);
  }

  /** Documents that contain the word in the request's fields. */
  word(word: Word): DocSet {
    return getOrCompute(this.#words, word, () =>
      this.#cachedIn(this.scopes.present, CACHE_KINDS.wordDocuments, word.text, (part) => {
        const found = new TermDocuments(part);
        addWord(found, wordWithin(word, this.#snapshot, part), this.within(part).scopes.present);
        return found.take();
      }),
    );
  }

  /** Caches documents found in all searchable fields; in fewer fields they are found each time. */
  #cachedIn(
    scope: FieldScope,
    kind: typeof CACHE_KINDS.wordDocuments,
    key: string,
    find: (part: IndexSnapshot) => DocSet,
  ): DocSet {
    const whole = this.#snapshot;
    return scope === whole.everywhere ? whole.queryCache.getOrMake(kind, key, find) : find(whole);
  }

  /** Adds documents with the text of an ngram or its completions, without protected numbers. */
  #addTolerant(
    exact: Word | null,
    completions: WordRanges | null,
    text: string,
    into: TermDocuments,
  ): void {
    if (!this.isProtected(text)) {
      if (exact) addWord(into, exact, this.scopes.tolerant);
      if (completions) addRanges(into, completions, this.scopes.tolerant);
      return;
    }
    if (!completions) return;
    this.#snapshot.segments.forEach(({ terms }, s) => {
      const end = completions.bounds[2 * s + 1]!;
      for (let term = completions.bounds[2 * s]!; term < end; term++) {
        if (!this.isProtected(terms.text(term))) into.add(s, term, term + 1, this.scopes.tolerant);
      }
    });
  }

  #wordAnywhere(word: Word): DocSet {
    return (this.anywhere ?? this).word(word);
  }

  /** Upper bound of `neighbourCount`. */
  neighbourBound(left: Word, right: Word): number {
    return neighbourBound(this.#snapshot, [left, right], this.#listedPairs(left, right, 1));
  }

  /** Number of documents in which `left` is immediately followed by `right`. */
  neighbourCount(left: Word, right: Word): number {
    return this.#pair(left, right, 1).count;
  }

  /**
   * Documents in which the two words share a field, if a phrase or a split of this search looked up
   * the pair; else null.
   */
  knownFieldPair(left: string, right: string): DocSet | null {
    return (
      this.#pairs.get(`1${left}\u0000${right}`) ?? this.#pairs.get(`2${left}\u0000${right}`) ?? null
    );
  }

  /**
   * Documents whose stored distance from `left` to `right` is at most `distance` (1 or 2), in any
   * field; by attribute, documents with both words in one of the request's fields.
   */
  #pair(left: Word, right: Word, distance: 1 | 2): DocSet {
    const key = pairKey(left, right, distance);
    return getOrCompute(this.#pairs, key, () => {
      const whole = this.#snapshot;
      return this.#cachedIn(this.#pairScope, CACHE_KINDS.pairDocuments, key, (part) =>
        this.within(part).#findPairs(
          wordWithin(left, whole, part),
          wordWithin(right, whole, part),
          distance,
        ),
      );
    });
  }

  get #pairScope(): FieldScope {
    return this.#byAttribute ? this.scopes.present : this.#snapshot.everywhere;
  }

  #findPairs(left: Word, right: Word, distance: 1 | 2): DocSet {
    const snapshot = this.#snapshot;
    const listed = this.#listedPairs(left, right, distance);
    const found: number[] = [];
    for (const s of unlistedSegments(left, right, listed)) {
      const both = this.#together(left, right, s);
      if (!both.isEmpty) this.#collectPairs(left, right, { s, both, distance }, found);
    }
    const read = DocSet.fromUnordered(Uint32Array.from(found), snapshot.bitsetLength);
    if (listed.every((pair) => pair === null)) return read;
    return DocSet.unionOf([listedDocuments(snapshot, listed), read], snapshot.bitsetLength);
  }

  /** Adds the documents of a segment in which the words are a pair. */
  #collectPairs(left: Word, right: Word, { s, both, distance }: PairSearch, found: number[]): void {
    const snapshot = this.#snapshot;
    if (this.#byAttribute || snapshot.everywhere[s]!.outside !== 0) {
      this.#readPairs(left, right, { s, both, distance }, found);
      return;
    }
    // A dead copy in this segment says nothing about a document that another one has.
    const dead = snapshot.dead[s]!;
    const docs = dead === null ? both.toList() : listWithBit(both.toList(), dead, 0);
    const costs = new Int32Array(docs.length);
    const pair = { left: [nextTerm(left, s)], right: [nextTerm(right, s)] };
    if (!snapshot.segments[s]!.postings.pairCosts(docs, [pair], costs))
      this.#readPairs(left, right, { s, both, distance }, found);
    else for (let i = 0; i < docs.length; i++) if (costs[i]! < distance) found.push(docs[i]!);
  }

  /** Living documents of a segment that hold both words. */
  #together(left: Word, right: Word, s: number): DocSet {
    const snapshot = this.#snapshot;
    const of = (word: Word): DocSet => {
      if (snapshot.segments.length === 1) return this.#wordAnywhere(word);
      const found = new TermDocuments(snapshot);
      found.add(s, word.ordinals[s]!, word.ordinals[s]! + 1, snapshot.everywhere);
      return found.take();
    };
    return of(left).retain(of(right));
  }

  /** The same, by the occurrences of both words. */
  #readPairs(left: Word, right: Word, { s, both, distance }: PairSearch, found: number[]): void {
    const segment = this.#snapshot.segments[s]!;
    const { fieldMap } = this.#pairScope[s]!;
    const a = SCRATCH.occurrences;
    const b = SCRATCH.otherOccurrences;
    a.length = 0;
    b.length = 0;
    const listed = listedIfFew(both);
    both.withBits(SCRATCH.pairs, (candidates) => {
      segment.postings.readOccurrences(left.ordinals[s]!, candidates, fieldMap, a, listed);
      segment.postings.readOccurrences(right.ordinals[s]!, candidates, fieldMap, b, listed);
    });
    for (const occurrences of [a, b]) dropDead(occurrences, this.#snapshot.dead[s]!);
    collectPairs(a, b, this.#byAttribute ? 0 : distance, found);
  }

  /** Where lists have the pair: near each other by word alone. */
  #listedPairs(left: Word, right: Word, distance: 1 | 2): ListedPairs {
    return this.#byAttribute
      ? unlistedPairs(this.#snapshot)
      : listedPairs(this.#snapshot, left, right, distance);
  }

  /** Documents that match the phrase (relevance.md 2.4). */
  phrase(phrase: Phrase): DocSet {
    return getOrCompute(this.#phrases, phrase, () =>
      this.#keepsPhrase(phrase)
        ? this.#snapshot.queryCache.getOrMake(
            CACHE_KINDS.phraseDocuments,
            phraseKey(phrase),
            (part) => this.within(part).#matchPhrase(phraseWithin(phrase, this.#snapshot, part)),
          )
        : this.#matchPhrase(phrase),
    );
  }

  /** The documents of a phrase of two words are cached as those of a pair. */
  #keepsPhrase({ slots }: Phrase): boolean {
    return slots.length > 2 && this.#pairsHaveWords;
  }

  /** True if every document with a pair of words counts as a document with each of them. */
  get #pairsHaveWords(): boolean {
    return this.scopes.present === this.#snapshot.everywhere && !this.#byAttribute;
  }

  #matchPhrase({ slots }: Phrase): DocSet {
    const pairs = wordPairs(slots);
    const paired = new Set(this.#pairsHaveWords ? pairs.flatMap((pair) => pair.words) : []);
    let docs: DocSet | null = null;
    for (const word of slots) if (word && !paired.has(word)) docs = retained(docs, this.word(word));
    const [first, ...others] = pairs;
    // A single pair needs neither an order nor a bound.
    if (docs === null && first && others.length === 0)
      return this.#pair(...first.words, first.distance);
    for (const pair of this.#rarestFirst(pairs)) docs = this.#withPair(docs, pair);
    return docs ?? this.live;
  }

  #rarestFirst(pairs: readonly WordPair[]): BoundedPair[] {
    const bounded = pairs.map((pair) => {
      const [left, right] = pair.words;
      const listed = this.#listedPairs(left, right, pair.distance);
      const isListed = unlistedSegments(left, right, listed).length === 0;
      return { ...pair, bound: neighbourBound(this.#snapshot, pair.words, listed), isListed };
    });
    return bounded.sort((a, b) => a.bound - b.bound);
  }

  /** Documents of a set with the pair; searched only in the set if many more may have the pair. */
  #withPair(docs: DocSet | null, { words, distance, bound, isListed }: BoundedPair): DocSet {
    const [left, right] = words;
    const isKnown = this.#pairs.has(pairKey(left, right, distance));
    const isSearched = !isKnown && !isListed && !this.#byAttribute;
    return isSearched && docs !== null && docs.count * WITHIN_SHARE < bound
      ? this.#pairsWithin(left, right, distance, docs)
      : retained(docs, this.#pair(left, right, distance));
  }

  /** The documents of a set with both words whose stored distance is at most `distance`. */
  #pairsWithin(left: Word, right: Word, distance: 1 | 2, docs: DocSet): DocSet {
    const found: number[] = [];
    for (let s = 0; s < this.#snapshot.segments.length; s++)
      if (left.ordinals[s]! >= 0 && right.ordinals[s]! >= 0)
        this.#collectPairs(left, right, { s, both: docs, distance }, found);
    return DocSet.fromUnordered(Uint32Array.from(found), docs.bitsetLength);
  }

  /** Documents with a derivation of the node with exactly `typos` typos. */
  withTypos(node: QueryNode, typos: TypoCount): DocSet {
    if (((derivedTypoMask(node) >>> typos) & 1) === 0) return this.none;
    return this.#ofNode(node, 1 << typos, (own, sets) => sets.#matchTypos(own, typos));
  }

  #ofNode(
    node: QueryNode,
    typoMask: number,
    match: (node: QueryNode, sets: MatchSets) => DocSet,
  ): DocSet {
    return getOrCompute(this.#nodes, node.number * 8 + typoMask, () => {
      const name = typoMask === 1 ? node.key : node.typoKey;
      if (name === null) return match(node, this);
      const key = { scope: this.scopes.key, typoMask, node: name };
      return this.#snapshot.queryCache.getOrMake(CACHE_KINDS.nodeDocuments, key, (part) =>
        mayHold(part, this.#snapshot, node.derivations, typoMask !== 1)
          ? match(nodeWithin(node, this.#snapshot, part), this.within(part))
          : this.none,
      );
    });
  }

  #matchTypos(node: QueryNode, typos: TypoCount): DocSet {
    const { synonyms, phrase, oneTypo, split, twoTypos, chunks } = node.derivations;
    const { tolerant, present } = this.scopes;
    const terms = new TermDocuments(this.#snapshot);
    if (typos === 0) this.#addTyped(node, terms);
    else for (const word of typos === 1 ? oneTypo : twoTypos) addWord(terms, word, tolerant);
    // A chunk is found in fields without typo tolerance, too.
    if (typos === 2 && chunks) addChunks(terms, chunks, present);
    const phrases = [[...synonyms, phrase], [split], []][typos]!;
    return DocSet.unionOf(
      [terms.take(), ...phrases.flatMap((each) => (each ? [this.phrase(each)] : []))],
      this.#snapshot.bitsetLength,
    );
  }

  /** Adds documents with the node's text or its completions. */
  #addTyped({ derivations, text, reachesExactFields }: QueryNode, into: TermDocuments): void {
    const { exact, completions } = derivations;
    const { present } = this.scopes;
    if (!reachesExactFields) {
      this.#addTolerant(exact, completions, text, into);
      return;
    }
    if (exact) addWord(into, exact, present);
    if (completions) addRanges(into, completions, present);
  }

  /** Documents with a derivation whose number of typos is in the mask. */
  withAnyTypos(node: QueryNode, typoMask: number): DocSet {
    const derived = typoMask & derivedTypoMask(node);
    if ((derived & (derived - 1)) === 0)
      return this.withTypos(node, (31 - Math.clz32(derived | 1)) as TypoCount);
    const parts = ([0, 1, 2] as const).filter((typos) => (derived >>> typos) & 1);
    return getOrCompute(this.#nodes, node.number * 8 + derived, () =>
      DocSet.unionOf(
        parts.map((typos) => this.withTypos(node, typos)),
        this.#snapshot.bitsetLength,
      ),
    );
  }

  /** Documents with the node's exact term: the phrase or the word; none for an ngram. */
  exact(node: QueryNode): DocSet {
    if (node.derivations.phrase) return this.phrase(node.derivations.phrase);
    if (node.kind === 'word' && node.derivations.exact) return this.word(node.derivations.exact);
    return this.none;
  }

  /**
   * Documents with the node narrowed to its exact term: its synonyms and the completions of a
   * frequent prefix stay (relevance.md 2.5).
   */
  narrowedToExact(node: QueryNode): DocSet {
    if (node.isFrequentPrefix) return this.withTypos(node, 0);
    const { synonyms } = node.derivations;
    if (synonyms.length === 0) return this.exact(node);
    return getOrCompute(this.#narrowed, node.number, () =>
      DocSet.unionOf(
        [this.exact(node), ...synonyms.map((synonym) => this.phrase(synonym))],
        this.#snapshot.bitsetLength,
      ),
    );
  }
}

/** Two words of a phrase. */
interface WordPair {
  readonly words: readonly [left: Word, right: Word];
  readonly distance: 1 | 2;
}

interface BoundedPair extends WordPair {
  /** Upper bound of the documents with the pair. */
  readonly bound: number;
  readonly isListed: boolean;
}

/** Words of a phrase that are at most two positions apart. */
function wordPairs(slots: Phrase['slots']): WordPair[] {
  const pairs: WordPair[] = [];
  for (let i = 0; i < slots.length; i++) {
    for (const distance of [1, 2] as const) {
      const left = slots[i];
      const right = slots[i + distance];
      if (left && right) pairs.push({ words: [left, right], distance });
    }
  }
  return pairs;
}

/** The documents of a segment among which a pair is looked for. */
interface PairSearch {
  readonly s: number;
  readonly both: DocSet;
  readonly distance: 1 | 2;
}

const nextTerm = ({ ordinals }: Word, s: number): PairTerms => ({
  lo: ordinals[s]!,
  hi: ordinals[s]! + 1,
  isNext: true,
  isReversed: false,
});

const pairKey = (left: Word, right: Word, distance: 1 | 2): string =>
  `${distance}${left.text}\u0000${right.text}`;

const phraseKey = ({ slots }: Phrase): string =>
  slots.map((word) => word?.text ?? '').join('\u0000');

const retained = (docs: DocSet | null, others: DocSet): DocSet => docs?.retain(others) ?? others;

function addWord(into: TermDocuments, { ordinals }: Word, scope: FieldScope): void {
  for (let s = 0; s < ordinals.length; s++) {
    const ordinal = ordinals[s]!;
    if (ordinal >= 0) into.add(s, ordinal, ordinal + 1, scope);
  }
}

function addChunks(into: TermDocuments, { ordinals }: Chunks, scope: FieldScope): void {
  ordinals.forEach((own, s) => {
    for (const ordinal of own) into.add(s, ordinal, ordinal + 1, scope);
  });
}

function addRanges(into: TermDocuments, { bounds }: WordRanges, scope: FieldScope): void {
  for (let s = 0; s < bounds.length >>> 1; s++)
    into.add(s, bounds[2 * s]!, bounds[2 * s + 1]!, scope);
}
