/**
 * A snapshot of a subset of another snapshot's segments: computes results for recently added
 * documents.
 */
import { getOrCompute } from '../../core/get-or-compute.ts';
import { DocSet } from '../sets/doc-set.ts';
import type { Change } from './cache-patching.ts';
import type { Derivations, Phrase, Word, WordRanges } from './derivations.ts';
import type { FieldScope } from './field-scope.ts';
import type { IndexSnapshot } from './index-snapshot.ts';
import { QueryCache } from './query-cache.ts';
import { ResultStore } from './result-store.ts';

/** Results are recomputed when the added segments hold at least half of the documents. */
const PART_SHARE = 2;

const NO_CACHE = new ResultStore(0);

export type SnapshotChange = Change & { readonly part: IndexSnapshot };

/**
 * Contract: `Content.changeSince`. @param parts cache of subsets, by the places of their segments
 */
export function changeSince(
  snapshot: IndexSnapshot,
  generation: number,
  parts: Map<string, IndexSnapshot>,
): SnapshotChange | null {
  const touched = snapshot.history.changedSince(generation);
  if (touched === null) return null;
  const places = snapshot.since.flatMap((since, s) => (since > generation ? [s] : []));
  const count = places.reduce((sum, s) => sum + snapshot.segments[s]!.documentCount, 0);
  if (count * PART_SHARE >= snapshot.live.count) return null;
  const name = places.join();
  const part = getOrCompute(parts, name, () => partOf(snapshot, places));
  return { touched, bitsetLength: snapshot.bitsetLength, part };
}

/** The segments at these places, without a query cache. */
function partOf(snapshot: IndexSnapshot, places: readonly number[]): IndexSnapshot {
  const { dead, everywhere, tolerant, bitsetLength } = snapshot;
  const segments = chosen(snapshot.segments, places);
  const liveBits = new Uint32Array(bitsetLength);
  segments.forEach((segment, i) => {
    segment.ranks.addLive(dead[places[i]!]!, liveBits);
  });
  const ownEverywhere = chosen(everywhere, places);
  const subjects = { generation: '', content: '', file: '', shared: '' };
  const part: IndexSnapshot = {
    ...snapshot,
    segments,
    dead: chosen(dead, places),
    columns: chosen(snapshot.columns, places),
    vectors: chosen(snapshot.vectors, places),
    live: DocSet.fromBits(liveBits.slice()).owned,
    liveBits,
    everywhere: ownEverywhere,
    tolerant: tolerant === everywhere ? ownEverywhere : chosen(tolerant, places),
    queryCache: new QueryCache<IndexSnapshot>(NO_CACHE, subjects, () => ({
      generation: snapshot.manifest.generation,
      whole: part,
      changeSince: () => null,
    })),
    since: chosen(snapshot.since, places),
    places,
  };
  return part;
}

const chosen = <Item>(items: readonly Item[], places: readonly number[]): Item[] =>
  places.map((s) => items[s]!);

/** Restricts a scope of a snapshot to a subset of it, which may be all of it. */
export function scopeWithin(
  scope: FieldScope,
  whole: IndexSnapshot,
  part: IndexSnapshot,
): FieldScope {
  if (part === whole || part.places === null) return scope;
  if (scope === whole.everywhere) return part.everywhere;
  return scope === whole.tolerant ? part.tolerant : chosen(scope, part.places);
}

/** Restricts a word of a snapshot to a subset, which may lack it. */
export const wordWithin = (word: Word, whole: IndexSnapshot, part: IndexSnapshot): Word =>
  part === whole || part.places === null ? word : wordAt(word, part.places);

/** The same of a phrase. */
export const phraseWithin = (phrase: Phrase, whole: IndexSnapshot, part: IndexSnapshot): Phrase =>
  part === whole || part.places === null ? phrase : phraseAt(phrase, part.places);

/**
 * True if the subset may hold documents that match a node of a snapshot, with or without typos: it
 * has one of the words. Costs a look at their ordinals.
 */
export function mayHold(
  part: IndexSnapshot,
  whole: IndexSnapshot,
  derivations: Derivations,
  withTypos: boolean,
): boolean {
  const { places } = part;
  if (part === whole || places === null) return true;
  const { exact, completions, synonyms, phrase, oneTypo, split, twoTypos, chunks } = derivations;
  const has = (word: Word | null): boolean =>
    word !== null && places.some((s) => word.ordinals[s]! >= 0);
  // A phrase without words matches all documents.
  const meets = (each: Phrase | null): boolean =>
    each !== null && (each.slots.some(has) || each.slots.every((word) => word === null));
  return (
    has(exact) ||
    meets(phrase) ||
    (completions !== null && places.some((s) => hasTerms(completions, s))) ||
    synonyms.some(meets) ||
    (withTypos &&
      (meets(split) ||
        oneTypo.some(has) ||
        twoTypos.some(has) ||
        (chunks !== null && places.some((s) => chunks.ordinals[s]!.length > 0))))
  );
}

const hasTerms = ({ bounds }: WordRanges, s: number): boolean =>
  bounds[2 * s]! < bounds[2 * s + 1]!;

const wordAt = ({ text, ordinals }: Word, places: readonly number[]): Word => ({
  text,
  ordinals: places.map((s) => ordinals[s]!),
});

const rangesAt = ({ bounds, last }: WordRanges, places: readonly number[]): WordRanges => ({
  bounds: places.flatMap((s) => [bounds[2 * s]!, bounds[2 * s + 1]!]),
  last,
});

const phraseAt = ({ slots }: Phrase, places: readonly number[]): Phrase => ({
  slots: slots.map((word) => word && wordAt(word, places)),
});

/** Restricts the derivations of a node to a subset. */
export function derivationsWithin(
  derivations: Derivations,
  whole: IndexSnapshot,
  part: IndexSnapshot,
): Derivations {
  const { places } = part;
  if (part === whole || places === null) return derivations;
  const { exact, completions, synonyms, unknownSynonyms, relatives, phrase } = derivations;
  const { oneTypo, split, twoTypos, chunks } = derivations;
  const own = (word: Word): Word => wordAt(word, places);
  return {
    exact: exact && own(exact),
    completions: completions && rangesAt(completions, places),
    synonyms: synonyms.map((each) => phraseAt(each, places)),
    unknownSynonyms,
    relatives: relatives.map(own),
    phrase: phrase && phraseAt(phrase, places),
    oneTypo: oneTypo.map(own),
    split: split && phraseAt(split, places),
    twoTypos: twoTypos.map(own),
    chunks: chunks && { ...chunks, ordinals: places.map((s) => chunks.ordinals[s]!) },
  };
}
