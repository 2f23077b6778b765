/**
 * Neighbours under proximity by attribute: documents in which two steps of a reading share a field (relevance.md 3.7).
 * A pair of words is looked up once a search, in the universe it is first asked for, and counts as absent everywhere else:
 * documents that a later bucket of an earlier rule holds are far apart for that pair, unless a phrase or a split asked for
 * the pair over the whole index before. The two orders of a pair are looked up apart. The convention's results depend on this.
 */
import { exceptBits, orInto } from '../engine/sets/bitset.ts';
import type { DocSet } from './doc-set.ts';
import type { IndexSnapshot } from './index-snapshot.ts';
import type { MatchSets } from './match-sets.ts';
import type { Phrase } from './query-node.ts';
import type { Step } from './readings.ts';
import type { Word } from './vocabulary.ts';

/** Documents by global field. */
type FieldBits = Map<number, Uint32Array>;

/** A word, or the completions of a prefix, on one side of a pair. */
interface Side {
  readonly key: string;
  /** Half-open ordinal ranges by segment, `[lo0, hi0, …]`. */
  readonly bounds: Int32Array;
  /** Documents that match the phrase the word stands for; null for plain words. */
  readonly within: Uint32Array | null;
  /** It is not looked up against the order of the query. */
  readonly isOrdered: boolean;
}

export class FieldNeighbours {
  readonly #snapshot: IndexSnapshot;
  readonly #sets: MatchSets;
  readonly #pairs = new Map<string, Uint32Array>();

  constructor(snapshot: IndexSnapshot, sets: MatchSets) {
    this.#snapshot = snapshot;
    this.#sets = sets;
  }

  /** Documents of the universe in which some derivation of `left` shares a field with one of `right`. */
  forward(left: Step, right: Step, universe: DocSet): Uint32Array {
    return this.#between(this.#sides(left, 'last'), this.#sides(right, 'first'), universe);
  }

  /** The same, looked up against the order of the query: phrases and completions of frequent prefixes stand in it only. */
  reversed(left: Step, right: Step, universe: DocSet): Uint32Array {
    const sides = (step: Step): Side[] => this.#sides(step, 'first').filter(({ isOrdered }) => !isOrdered);
    return this.#between(sides(right), sides(left), universe);
  }

  #between(lefts: readonly Side[], rights: readonly Side[], universe: DocSet): Uint32Array {
    const found = this.#sets.newBits();
    const fields = new Map<Side, FieldBits>();
    for (const left of lefts) {
      for (const right of rights) {
        const bits = this.#pair(left, right, universe, fields);
        for (let i = 0; i < found.length; i++) {
          found[i]! |= bits[i]! & (left.within?.[i] ?? -1) & (right.within?.[i] ?? -1);
        }
      }
    }
    return found;
  }

  #pair(left: Side, right: Side, universe: DocSet, fields: Map<Side, FieldBits>): Uint32Array {
    const key = `${left.key}\u0000${right.key}`;
    let bits = this.#pairs.get(key) ?? this.#sets.knownFieldPair(left.key, right.key);
    if (!bits) {
      bits = this.#sets.newBits();
      const ofLeft = this.#fieldBits(left, universe, fields);
      for (const [field, docs] of this.#fieldBits(right, universe, fields)) {
        const others = ofLeft.get(field);
        if (others)
          orInto(
            bits,
            docs.map((word, i) => word & others[i]!),
          );
      }
      this.#pairs.set(key, bits);
    }
    return bits;
  }

  #fieldBits(side: Side, universe: DocSet, memo: Map<Side, FieldBits>): FieldBits {
    let found = memo.get(side);
    if (!found) {
      found = this.#readFieldBits(side, universe);
      memo.set(side, found);
    }
    return found;
  }

  #readFieldBits({ bounds }: Side, universe: DocSet): FieldBits {
    const { segments, dead, everywhere, scratch } = this.#snapshot;
    const { bits, occurrences } = scratch;
    const found: FieldBits = new Map();
    universe.addTo(bits);
    segments.forEach((segment, s) => {
      occurrences.length = 0;
      const candidates = exceptBits(bits, dead[s]!);
      segment.readRangeOccurrences(
        bounds[2 * s]!,
        bounds[2 * s + 1]!,
        candidates,
        everywhere[s]!.fieldMap,
        occurrences,
      );
      for (let i = 0; i < occurrences.length; i++) {
        const field = occurrences.keys[i]! >>> 16;
        const docs = found.get(field) ?? this.#sets.newBits();
        found.set(field, docs);
        docs[occurrences.docs[i]! >>> 5]! |= 1 << (occurrences.docs[i]! & 31);
      }
    });
    universe.clearFrom(bits);
    return found;
  }

  /** @param phraseEnd the word by which a phrase touches the other side */
  #sides({ node, levels, exactOnly }: Step, phraseEnd: 'first' | 'last'): Side[] {
    const { exact, completions, synonyms, phrase, oneTypo, split, twoTypos } = node.derivations;
    const ofPhrase = (p: Phrase): Side[] => {
      const word = phraseEnd === 'first' ? p.slots[0] : p.slots[p.slots.length - 1];
      return word ? [{ ...sideOf(word), within: this.#sets.phrase(p), isOrdered: true }] : [];
    };
    const sides: Side[] = [];
    const completed = completions && {
      key: `${node.text}*`,
      bounds: completions.bounds,
      within: null,
      isOrdered: node.isFrequentPrefix,
    };
    if (exactOnly) {
      if (phrase) return ofPhrase(phrase);
      if (exact) sides.push(sideOf(exact));
      if (completed && node.isFrequentPrefix) sides.push(completed);
      return sides;
    }
    if (levels & 1) {
      if (exact) sides.push(sideOf(exact));
      if (completed) sides.push(completed);
      for (const p of phrase ? [phrase, ...synonyms] : synonyms) sides.push(...ofPhrase(p));
    }
    if (levels & 2) sides.push(...oneTypo.map(sideOf), ...(split ? ofPhrase(split) : []));
    if (levels & 4) sides.push(...twoTypos.map(sideOf));
    return sides;
  }
}

const sideOf = ({ text, ordinals }: Word): Side => ({
  key: text,
  bounds: Int32Array.from({ length: ordinals.length * 2 }, (_, i) => {
    const ordinal = ordinals[i >>> 1]!;
    return ordinal < 0 ? 0 : ordinal + (i & 1);
  }),
  within: null,
  isOrdered: false,
});
