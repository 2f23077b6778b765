/**
 * Queries of the search oracle: terms, nodes and their derivations, enumerated from the definitions
 * (relevance.md 2).
 */
import { type OracleCorpus, typoDistances } from './oracle-corpus.ts';

export type QueryItem =
  | { readonly kind: 'word' | 'not'; readonly text: string }
  | { readonly kind: 'phrase'; readonly words: readonly string[] }
  | { readonly kind: 'hard' };

export interface OracleQuery {
  readonly items: readonly QueryItem[];
  /** A space ends the text, so no word is a prefix. */
  readonly trailingSpace: boolean;
}

export function queryText({ items, trailingSpace }: OracleQuery): string {
  let text = '';
  for (const item of items) {
    if (item.kind === 'hard') {
      text += '. ';
      continue;
    }
    if (text !== '' && !text.endsWith(' ')) text += ' ';
    if (item.kind === 'phrase') text += `"${item.words.join(' ')}"`;
    else text += item.kind === 'not' ? `-${item.text}` : item.text;
  }
  return trailingSpace ? `${text} ` : text;
}

export interface Term {
  /** One word, or the slots of a phrase; null is the gap of a stop word. */
  readonly slots: readonly (string | null)[];
  readonly isPhrase: boolean;
  readonly start: number;
  readonly end: number;
  readonly isPrefix: boolean;
  /** Number of the item of the query. */
  readonly item: number;
}

export interface Derivation {
  readonly slots: readonly (string | null)[];
  readonly isPhrase: boolean;
  readonly level: 0 | 1 | 2;
  readonly tolerantOnly: boolean;
  /** The word or phrase as typed. */
  readonly isExact: boolean;
  readonly isSynonym: boolean;
}

export interface OracleNode {
  readonly number: number;
  readonly firstId: number;
  readonly lastId: number;
  readonly length: number;
  readonly start: number;
  readonly end: number;
  readonly isPhrase: boolean;
  /** Part of a chunk. */
  readonly isPart: boolean;
  readonly budget: number;
  readonly derivations: readonly Derivation[];
}

export function locateTerms(
  { items, trailingSpace }: OracleQuery,
  corpus: OracleCorpus,
): { terms: Term[]; excluded: string[] } {
  const terms: Term[] = [];
  const excluded: string[] = [];
  const prefixes = corpus.settings.prefixSearch !== 'disabled';
  let position = -1;
  items.forEach((item, i) => {
    const isLast = i === items.length - 1 && !trailingSpace;
    if (item.kind === 'hard') position += 7;
    else if (item.kind === 'phrase') {
      const slots = item.words.map((word) => (corpus.isStopWord(word) ? null : word));
      const first = slots.findIndex((slot) => slot !== null);
      if (first >= 0) {
        terms.push({
          slots,
          isPhrase: true,
          start: position + 1 + first,
          end: position + slots.length,
          isPrefix: false,
          item: i,
        });
      }
      position += slots.length;
    } else if (item.kind === 'not') {
      position++;
      excluded.push(item.text);
    } else {
      const words = item.text.split('-').filter((word) => word !== '');
      words.forEach((word, w) => {
        position++;
        const isEnd = isLast && w === words.length - 1 && item.text.endsWith(word);
        if (!isEnd && corpus.isStopWord(word)) return;
        const isPrefix = isEnd && prefixes;
        const place = { start: position, end: position, item: i };
        terms.push({ ...place, slots: [word], isPhrase: false, isPrefix });
      });
    }
  });
  return { terms, excluded };
}

export function buildNodes(terms: readonly Term[], corpus: OracleCorpus): OracleNode[] {
  const nodes: OracleNode[] = [];
  terms.forEach((_, last) => {
    for (let length = 1; length <= Math.min(3, last + 1); length++) {
      const covered = terms.slice(last - length + 1, last + 1);
      const isNgram = length > 1;
      if (
        isNgram &&
        covered.some((t, i) => t.isPhrase || (i > 0 && covered[i - 1]!.end + 1 !== t.start))
      )
        continue;
      const { isPhrase } = covered[0]!;
      nodes.push({
        number: nodes.length,
        firstId: last - length + 1,
        lastId: last,
        length,
        start: covered[0]!.start,
        end: covered.at(-1)!.end,
        isPhrase,
        isPart: false,
        budget: isPhrase ? 0 : nodeBudget(covered, corpus),
        derivations: isPhrase
          ? phraseDerivations(covered[0]!, corpus)
          : wordDerivations(covered, corpus),
      });
    }
  });
  return nodes;
}

/** The parts of chunks among the items, as nodes after the others. */
export function addParts(
  nodes: OracleNode[],
  terms: readonly Term[],
  { items }: OracleQuery,
  corpus: OracleCorpus,
): void {
  items.forEach((item, i) => {
    if (item.kind !== 'word') return;
    const text = items[i + 1]?.kind === 'hard' ? `${item.text}.` : item.text;
    const ids = terms.flatMap((term, id) => (term.item === i ? [id] : []));
    const derivations = corpus
      .chunks()
      .filter((chunk) => chunk.includes(text, 1))
      .map((chunk) => word(chunk, 2, false, false));
    if (ids.length === 0 || text.length < 3 || derivations.length === 0) return;
    const [firstId, lastId] = [ids[0]!, ids.at(-1)!];
    nodes.push({
      number: nodes.length,
      firstId,
      lastId,
      length: ids.length,
      start: terms[firstId]!.start,
      end: terms[lastId]!.end,
      isPhrase: false,
      isPart: true,
      budget: 2,
      derivations,
    });
  });
}

const textOf = (covered: readonly Term[]): string => covered.map((t) => t.slots[0]).join('');

function nodeBudget(covered: readonly Term[], { settings }: OracleCorpus): number {
  const { enabled, minWordSizeForTypos, disableOnWords } = settings.typoTolerance;
  const text = textOf(covered);
  if (!enabled || text.length < minWordSizeForTypos.oneTypo || disableOnWords.includes(text))
    return 0;
  return Math.max(0, (text.length < minWordSizeForTypos.twoTypos ? 1 : 2) - (covered.length - 1));
}

const phrase = (
  slots: readonly (string | null)[],
  level: 0 | 1,
  rest: Partial<Derivation> = {},
): Derivation => ({
  slots,
  level,
  isPhrase: true,
  tolerantOnly: false,
  isExact: false,
  isSynonym: false,
  ...rest,
});

const word = (
  text: string,
  level: 0 | 1 | 2,
  tolerantOnly: boolean,
  isExact: boolean,
): Derivation => ({
  slots: [text],
  level,
  isPhrase: false,
  tolerantOnly,
  isExact,
  isSynonym: false,
});

function phraseDerivations({ slots }: Term, corpus: OracleCorpus): Derivation[] {
  return slots.every((slot) => slot === null || corpus.exists(slot))
    ? [phrase(slots, 0, { isExact: true })]
    : [];
}

function wordDerivations(covered: readonly Term[], corpus: OracleCorpus): Derivation[] {
  const text = textOf(covered);
  const isNgram = covered.length > 1;
  const { isPrefix } = covered.at(-1)!;
  const found: Derivation[] = [];
  if (corpus.exists(text)) found.push(word(text, 0, isNgram, !isNgram));
  if (isPrefix) {
    for (const other of corpus.words())
      if (other !== text && other.startsWith(text)) found.push(word(other, 0, isNgram, false));
  }
  for (const slots of synonymsOf(covered, corpus))
    found.push(phrase(slots, 0, { isSynonym: true }));
  found.push(...similarWords(text, nodeBudget(covered, corpus), isPrefix, corpus));
  const split = bestSplit(text, corpus);
  if (split && !(covered.length === 2 && split[0] === covered[0]!.slots[0]))
    found.push(phrase(split, 1));
  return found;
}

function similarWords(
  text: string,
  budget: number,
  isPrefix: boolean,
  corpus: OracleCorpus,
): Derivation[] {
  return corpus.tolerantWords().flatMap((other) => {
    const { whole, prefix } = typoDistances(text, other);
    const distance = isPrefix ? prefix : whole;
    const cost = other[0] === text[0] ? distance : distance === 1 ? 2 : Number.POSITIVE_INFINITY;
    return distance > 0 && cost <= budget ? [word(other, cost as 1 | 2, true, false)] : [];
  });
}

/** Synonyms whose words all exist: no document can have the others. */
function synonymsOf(covered: readonly Term[], corpus: OracleCorpus): string[][] {
  const keys = new Set([textOf(covered), covered.map((t) => t.slots[0]).join(' ')]);
  return [...keys]
    .flatMap((key) => (corpus.settings.synonyms[key] ?? []).map((value) => value.split(' ')))
    .filter((slots) => slots.every((slot) => corpus.exists(slot)));
}

function bestSplit(text: string, corpus: OracleCorpus): [string, string] | null {
  let best: { cut: [string, string]; count: number } | null = null;
  for (let at = 1; at < text.length; at++) {
    const cut: [string, string] = [text.slice(0, at), text.slice(at)];
    const count = corpus.ids.filter((doc) => corpus.distance(doc, ...cut) === 1).length;
    if (count > (best?.count ?? 0)) best = { cut, count };
  }
  return best?.cut ?? null;
}
