/**
 * A search answer with documents for a reranker, before and after it: reads the texts, cuts the
 * page out of the reordered hits, and removes the texts.
 */
import { RERANK_MEMBER, type RerankDocument, type RerankInput } from '../model/rerank-input.ts';
import {
  type Edit,
  edited,
  hitsEdit,
  hitsOf,
  type JsonRange,
  placesInOrder,
  type Scores,
  type SearchHits,
  timeEdit,
} from './search-hits.ts';

export interface RerankedAnswer {
  readonly scores: Scores;
  readonly showsScores: boolean;
  /** JSON of the failure; null = none. */
  readonly failure: string | null;
  /** Milliseconds that the reranker took. */
  readonly spentMs: number;
}

export interface PendingAnswer {
  readonly hits: SearchHits;
  readonly input: RerankInput;
  /** Range of the value of the member with the input. */
  readonly member: JsonRange;
}

/** @param answer a complete search answer with the member for the reranker */
export function pendingAnswer(answer: Uint8Array): PendingAnswer {
  const hits = hitsOf(answer);
  const member = hits.rerankInput;
  if (member === null) throw new Error('a search answer has no documents for its reranker');
  const json = Buffer.from(answer.subarray(member.start, member.end)).toString();
  return { hits, input: JSON.parse(json) as RerankInput, member };
}

/** Numbers and texts of the documents that the reranker gets. */
export const textsToRank = (
  documents: readonly RerankDocument[],
): readonly { readonly number: number; readonly text: string }[] =>
  documents.flatMap(({ text, isFixed }, number) =>
    text === null || isFixed ? [] : [{ number, text }],
  );

/** Numbers of all documents, best first; without a score they follow in their previous order. */
export function rerankedOrder(
  documents: readonly Pick<RerankDocument, 'isFixed'>[],
  scores: Scores,
): number[] {
  const fixed = new Set<number>();
  documents.forEach(({ isFixed }, number) => {
    if (isFixed) fixed.add(number);
  });
  return placesInOrder(documents.length, scores, fixed);
}

export function finishedAnswer(
  { hits, input, member }: PendingAnswer,
  { scores, showsScores, failure, spentMs }: RerankedAnswer,
): Uint8Array {
  const { answer, places, semanticHitCount } = hits;
  const { offset, limit, documents } = input;
  const isPending = documents.length > 0;
  const shown = isPending
    ? rerankedOrder(documents, scores).slice(offset, offset + limit)
    : [...places.keys()];
  const bytesOf = (number: number): Uint8Array[] => {
    const place = places[number];
    if (place === undefined) return [];
    const score = showsScores ? scores.get(number) : undefined;
    return [withScore(answer.subarray(place.start, place.end), score)];
  };
  const edits: Edit[] = [...hitsEdit(hits, shown.flatMap(bytesOf)), timeEdit(hits, spentMs)];
  if (semanticHitCount !== null && isPending) {
    const count = shown.filter((number) => documents[number]?.isSemantic === true).length;
    edits.push({ ...semanticHitCount, bytes: Buffer.from(String(count)) });
  }
  const count = shown.filter((number) => scores.has(number)).length;
  return edited(answer, [...edits, memberEdit(member, count, failure)]);
}

/** `"_rerank":…` becomes `"rerankedHitCount":…`, with the failure if there is one. */
function memberEdit({ start, end }: JsonRange, count: number, failure: string | null): Edit {
  const bytes = Buffer.from(rerankMembers(count, failure));
  return { start: start - `"${RERANK_MEMBER}":`.length, end, bytes };
}

/** Members of the answer. @param failure JSON of the error; null = none */
export const rerankMembers = (count: number, failure: string | null): string =>
  `"rerankedHitCount":${count}${failure === null ? '' : `,"rerankError":${failure}`}`;

const CLOSING_BRACE = Buffer.from('}');

/** @param score undefined = not shown */
export function withScore(hit: Uint8Array, score: number | undefined): Uint8Array {
  if (score === undefined) return hit;
  const comma = hit.length > 2 ? ',' : '';
  const member = Buffer.from(`${comma}"_rerankScore":${score}`);
  return Buffer.concat([hit.subarray(0, -1), member, CLOSING_BRACE]);
}
