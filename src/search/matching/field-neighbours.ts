/**
 * Neighbours under proximity by attribute: documents in which two steps of a reading share a field
 * (relevance.md 3.7). A pair of words is looked up once per search, in the universe of the first
 * look-up, and counts as absent in all other documents. Documents in a later bucket of an earlier
 * rule are therefore far apart for that pair, unless a phrase or a split looked the pair up over
 * the whole index before. The two orders of a pair are looked up separately. The convention's
 * results depend on this.
 */
import { getOrCompute } from '../../core/get-or-compute.ts';
import { fieldOfOccurrence } from '../../engine/postings/occurrence-key.ts';
import { andInto, hasBit, setBit } from '../../engine/sets/bitset.ts';
import type { QueryNode } from '../query/query-node.ts';
import { DocSet } from '../sets/doc-set.ts';
import { SCRATCH } from '../sets/search-scratch.ts';
import type { Phrase, Word, WordRanges } from '../snapshot/derivations.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import type { MatchSets } from './match-sets.ts';
import type { Step } from './readings.ts';

/** Documents by global field. */
type FieldBits = Map<number, Uint32Array>;

/** A word, or the completions of a prefix, on one side of a pair. */
interface Side {
  readonly key: string;
  /** Half-open ordinal ranges by segment, `[lo0, hi0, …]`. */
  readonly bounds: readonly number[];
  /** Documents that match the phrase of the word; null for plain words. */
  readonly within: Uint32Array | null;
  /**
   * Number of words that are looked up one by one; 0 for a frequent prefix, which is looked up as a
   * whole.
   */
  readonly listedWords: number;
  /** True if it is looked up in query order only. */
  readonly isOrdered: boolean;
}

export class FieldNeighbours {
  readonly #snapshot: IndexSnapshot;
  readonly #sets: MatchSets;
  readonly #presentFields: Uint8Array;
  readonly #pairs = new Map<string, Uint32Array>();

  /** @param presentFields 1 for global fields in which words count for the request, else 0 */
  constructor(snapshot: IndexSnapshot, sets: MatchSets, presentFields: Uint8Array) {
    this.#snapshot = snapshot;
    this.#sets = sets;
    this.#presentFields = presentFields;
  }

  #newBits(): Uint32Array {
    return new Uint32Array(this.#snapshot.bitsetLength);
  }

  /**
   * Documents of the universe in which a derivation of `left` shares a searched field with one of
   * `right`.
   */
  forward(left: Step, right: Step, universe: DocSet): DocSet {
    return this.#between(
      this.#sides(left, 'last'),
      this.#sides(right, 'first'),
      universe,
      (l, r) => [l, r],
    );
  }

  /**
   * Like `forward`, looked up against query order; phrases and completions of frequent prefixes are
   * looked up in query order only.
   */
  reversed(left: Step, right: Step, universe: DocSet): DocSet {
    const sides = (step: Step): Side[] =>
      this.#sides(step, 'first').filter(({ isOrdered }) => !isOrdered);
    return this.#between(sides(left), sides(right), universe, (l, r) => [r, l]);
  }

  /** @param inOrder the pair in look-up order */
  #between(
    lefts: readonly Side[],
    rights: readonly Side[],
    universe: DocSet,
    inOrder: (left: Side, right: Side) => readonly [Side, Side],
  ): DocSet {
    const found = this.#newBits();
    const fields = new Map<Side, FieldBits>();
    const listed = rights.reduce((n, { listedWords }) => n + listedWords, 0);
    for (const left of lefts) {
      // With several listed words on the right, a left word that no document contains is not looked
      // up.
      const isAbsent = listed > 1 && !this.#isHeld(left, universe, fields);
      for (const right of rights) {
        if (isAbsent && right.listedWords > 0) continue;
        const bits = this.#pair(inOrder(left, right), universe, fields);
        for (let i = 0; i < found.length; i++) {
          found[i]! |= bits[i]! & (left.within?.[i] ?? -1) & (right.within?.[i] ?? -1);
        }
      }
    }
    return DocSet.fromBits(found);
  }

  #isHeld(side: Side, universe: DocSet, fields: Map<Side, FieldBits>): boolean {
    if (side.within) return !universe.intersect(side.within).isEmpty;
    return this.#fieldBits(side, universe, fields).size > 0;
  }

  /**
   * A phrase is looked up only among its matching documents; without any, the pair stays unknown.
   */
  #pair(
    [first, second]: readonly [Side, Side],
    universe: DocSet,
    fields: Map<Side, FieldBits>,
  ): Uint32Array {
    const key = `${first.key}\u0000${second.key}`;
    const known =
      this.#pairs.get(key) ?? this.#sets.knownFieldPair(first.key, second.key)?.toBits();
    if (known) return known;
    const bits = this.#newBits();
    const withins = [first, second].flatMap(({ within }) => within ?? []);
    if (withins.reduce((docs, within) => docs.intersect(within), universe).isEmpty) return bits;
    const ofFirst = this.#fieldBits(first, universe, fields);
    for (const [field, docs] of this.#fieldBits(second, universe, fields)) {
      const others = ofFirst.get(field);
      if (others) for (let i = 0; i < bits.length; i++) bits[i]! |= docs[i]! & others[i]!;
    }
    for (const within of withins) andInto(bits, within);
    this.#pairs.set(key, bits);
    return bits;
  }

  #fieldBits(side: Side, universe: DocSet, memo: Map<Side, FieldBits>): FieldBits {
    return getOrCompute(memo, side, () => this.#readFieldBits(side, universe));
  }

  #readFieldBits({ bounds }: Side, universe: DocSet): FieldBits {
    const { segments, dead, everywhere } = this.#snapshot;
    const { occurrences } = SCRATCH;
    const found: FieldBits = new Map();
    universe.withBits(SCRATCH.universe, (candidates) => {
      segments.forEach((segment, s) => {
        const lo = bounds[2 * s]!;
        const hi = bounds[2 * s + 1]!;
        occurrences.length = 0;
        segment.postings.readRangeOccurrences(
          lo,
          hi,
          candidates,
          everywhere[s]!.fieldMap,
          occurrences,
        );
        for (let i = 0; i < occurrences.length; i++) {
          const field = fieldOfOccurrence(occurrences.keys[i]!);
          const doc = occurrences.docs[i]!;
          if (this.#presentFields[field] === 0 || (dead[s] && hasBit(dead[s], doc))) continue;
          const docs = found.get(field) ?? this.#newBits();
          found.set(field, docs);
          setBit(docs, doc);
        }
      });
    });
    return found;
  }

  /** @param phraseEnd the word of a phrase that is next to the other side */
  #sides({ node, typoMask, exactOnly }: Step, phraseEnd: 'first' | 'last'): Side[] {
    const { exact, synonyms, phrase, oneTypo, split, twoTypos } = node.derivations;
    const ofPhrase = (p: Phrase): Side[] => {
      const word = phraseEnd === 'first' ? p.slots[0] : p.slots[p.slots.length - 1];
      return word
        ? [{ ...sideOf(word), within: this.#sets.phrase(p).toBits(), isOrdered: true }]
        : [];
    };
    const written = exact ? [sideOf(exact)] : [];
    const completed = completedSides(node);
    const phrases = (phrase ? [phrase, ...synonyms] : synonyms).flatMap(ofPhrase);
    if (exactOnly) return [...written, ...(node.isFrequentPrefix ? completed : []), ...phrases];
    const sides = typoMask & 1 ? [...written, ...completed, ...phrases] : phrases;
    if (typoMask & 2) sides.push(...oneTypo.map(sideOf), ...(split ? ofPhrase(split) : []));
    if (typoMask & 4) sides.push(...twoTypos.map(sideOf));
    return sides;
  }
}

/** The completions of a prefix as one side; none if the node is no prefix. */
function completedSides({ text, isFrequentPrefix, derivations }: QueryNode): Side[] {
  const { exact, completions } = derivations;
  if (completions === null) return [];
  const listedWords = isFrequentPrefix ? 0 : wordsIn(completions) - (exact ? 1 : 0);
  return [
    {
      key: `${text}*`,
      bounds: completions.bounds,
      within: null,
      listedWords,
      isOrdered: isFrequentPrefix,
    },
  ];
}

function wordsIn({ bounds }: WordRanges): number {
  let count = 0;
  for (let i = 0; i < bounds.length; i += 2) count += bounds[i + 1]! - bounds[i]!;
  return count;
}

const sideOf = ({ text, ordinals }: Word): Side => ({
  key: text,
  bounds: ordinals.flatMap((ordinal) => (ordinal < 0 ? [0, 0] : [ordinal, ordinal + 1])),
  within: null,
  listedWords: 1,
  isOrdered: false,
});
