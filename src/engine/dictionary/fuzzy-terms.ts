/**
 * Finds the terms near a word: a walk over the trie with a typo automaton, in byte order. Bounds
 * come from array lengths, not from array contents, so a damaged trie yields wrong terms but never
 * an endless walk. A branch is left as soon as no term below can be near enough. In prefix mode the
 * whole branch matches at the first prefix that no longer prefix could be nearer than; a term
 * without such a prefix is compared as a whole (relevance.md 2.2).
 */
import { codePointAt, codePointBytes } from '../bytes/utf8.ts';
import type { TermTrie } from './term-trie.ts';
import { openAutomaton, type TypoAutomaton } from './typo-automaton.ts';

/** Maximum distance of similar terms from a word. */
export interface SimilarTermsRange {
  readonly maxDistance: 1 | 2;
  /** Limit for terms that begin with another letter. */
  readonly maxDistanceOtherFirst: 0 | 1;
  /** Whether the distance of a prefix of the term counts instead of the whole term's. */
  readonly prefix: boolean;
}

/** Access to the ends of terms, which the trie does not hold. */
export interface TermTails {
  readonly termCount: number;
  readonly textBytes: Uint8Array;
  tailStart(ordinal: number, depth: number): number;
  readonly tailEnd: number;
}

/**
 * Contract: `TermDictionary.visitSimilar`. An empty word has no similar terms. `visit` must not
 * start another scan.
 */
export function visitSimilarTerms(
  trie: TermTrie,
  tails: TermTails,
  word: string,
  range: SimilarTermsRange,
  visit: (ordinal: number, distance: number) => boolean,
): void {
  const points = Array.from(word, (character) => character.codePointAt(0)!);
  if (points.length === 0) return;
  const automaton = openAutomaton(points, range.maxDistance);
  try {
    new SimilarTermsWalk(trie, tails, automaton, range, points[0]!, visit).run();
  } finally {
    automaton.close();
  }
}

class SimilarTermsWalk {
  readonly #trie: TermTrie;
  readonly #tails: TermTails;
  readonly #automaton: TypoAutomaton;
  readonly #firstPoint: number;
  readonly #prefix: boolean;
  readonly #otherFirst: number;
  readonly #visit: (ordinal: number, distance: number) => boolean;
  /** Greatest distance accepted on the current branch. */
  #limit = 0;

  constructor(
    trie: TermTrie,
    tails: TermTails,
    automaton: TypoAutomaton,
    range: SimilarTermsRange,
    firstPoint: number,
    visit: (ordinal: number, distance: number) => boolean,
  ) {
    this.#trie = trie;
    this.#tails = tails;
    this.#automaton = automaton;
    this.#prefix = range.prefix;
    this.#otherFirst = range.maxDistanceOtherFirst;
    this.#firstPoint = firstPoint;
    this.#visit = visit;
  }

  run(): void {
    const { labels, firstChild, ends } = this.#trie;
    const end = Math.min(firstChild[1] ?? 0, labels.length);
    let inner = this.#trie.firstInnerChild(0);
    let term = this.#trie.isTerm(0) ? 1 : 0;
    for (let child = 0; child < end; child++) {
      const label = labels[child]!;
      const point = this.#trie.point(label);
      this.#limit = point === this.#firstPoint ? this.#automaton.limit : this.#otherFirst;
      const lo = term;
      const node = label & 1 ? inner++ : -1;
      term = node >= 0 ? ends[node]! : term + 1;
      if (this.#limit === 0) continue;
      if (!this.#enter(point, node, 0, 0, lo)) return;
    }
  }

  /**
   * Children of an inner node whose path has `depth` characters and `depthBytes` bytes; false =
   * stop everything.
   */
  #children(node: number, depth: number, depthBytes: number, firstTerm: number): boolean {
    const needed = this.#automaton.neededPositions(depth, this.#limit);
    if (needed === 0) return true;
    const trie = this.#trie;
    const { labels, firstChild, ends } = trie;
    const end = Math.min(firstChild[node + 1]!, labels.length);
    let inner = trie.firstInnerChild(node);
    let term = firstTerm;
    for (let child = firstChild[node]!; child < end; child++) {
      const label = labels[child]!;
      const lo = term;
      let below = -1;
      if (label & 1) {
        below = inner++;
        if (below <= node) return false;
        term = ends[below]!;
      } else term++;
      const point = trie.point(label);
      if (needed !== -1 && (this.#automaton.positionsOf(point) & needed) === 0) continue;
      if (!this.#enter(point, below, depth, depthBytes, lo)) return false;
    }
    return true;
  }

  /**
   * Takes one character from `depth`; `node` is the inner node it leads to, or −1 for the leaf of
   * term `lo`.
   */
  #enter(point: number, node: number, depth: number, depthBytes: number, lo: number): boolean {
    const state = this.#automaton.step(depth, point);
    const accept = state & 3;
    const alive = state >>> 2;
    if (alive > this.#limit) return true;
    if (this.#prefix && accept <= alive) return this.#emitAll(lo, node, accept);
    if (node < 0) return this.#leaf(lo, depth + 1, depthBytes + codePointBytes(point), accept);
    return this.#below(node, depth + 1, depthBytes + codePointBytes(point), lo, accept);
  }

  #below(node: number, depth: number, depthBytes: number, lo: number, own: number): boolean {
    if (!this.#trie.isTerm(node)) return this.#children(node, depth, depthBytes, lo);
    if (own <= this.#limit && !this.#visit(lo, own)) return false;
    return this.#children(node, depth, depthBytes, lo + 1);
  }

  #emitAll(lo: number, node: number, distance: number): boolean {
    const end = node < 0 ? lo + 1 : Math.min(this.#trie.ends[node]!, this.#tails.termCount);
    for (let term = lo; term < end; term++) if (!this.#visit(term, distance)) return false;
    return true;
  }

  /** Reads the rest of the term; `reached` is the distance at `startDepth`. */
  #leaf(term: number, startDepth: number, depthBytes: number, reached: number): boolean {
    const tails = this.#tails;
    const bytes = tails.textBytes;
    let at = tails.tailStart(term, depthBytes);
    const end = tails.tailEnd;
    let distance = reached;
    for (let depth = startDepth; at < end; depth++) {
      const point = codePointAt(bytes, at, end);
      at += codePointBytes(point);
      const state = this.#automaton.step(depth, point);
      const alive = state >>> 2;
      distance = state & 3;
      if (alive > this.#limit) return true;
      if (this.#prefix && distance <= alive) break;
    }
    return distance > this.#limit || this.#visit(term, distance);
  }
}
