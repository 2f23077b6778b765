/**
 * The hits of a finished search answer: their bytes, their texts for a reranking service, and the
 * reordered answer.
 */
import type { Json } from '../core/json.ts';
import { JsonKind, JsonTape } from '../engine/json/json-tape.ts';
import { memberNode, numberAt } from '../engine/json/tape-members.ts';
import { RERANK_MEMBER } from '../model/rerank-input.ts';

/** Members that a search adds to a document. */
const ADDED_MEMBERS: ReadonlySet<string> = new Set([
  '_formatted',
  '_matchesPosition',
  '_geoDistance',
  '_rankingScore',
  '_rankingScoreDetails',
  '_rerankScore',
  '_vectors',
  '_federation',
  '_group',
]);

export interface JsonRange {
  readonly start: number;
  readonly end: number;
}

export interface SearchHits {
  readonly answer: Uint8Array;
  readonly places: readonly JsonRange[];
  /** Range of the value of `processingTimeMs`. */
  readonly time: JsonRange & { readonly milliseconds: number };
  /** Range of the value of `semanticHitCount`; null = absent. */
  readonly semanticHitCount: JsonRange | null;
  /** Range of the value of `RERANK_MEMBER`; null = absent. */
  readonly rerankInput: JsonRange | null;
}

const COMMA = Buffer.from(',');

const tape = new JsonTape();

/** @param answer a complete search answer of this server */
export function hitsOf(answer: Uint8Array): SearchHits {
  tape.scan(answer, 0, answer.length);
  const list = memberNode(tape, 0, 'hits');
  const time = memberNode(tape, 0, 'processingTimeMs');
  const milliseconds = numberAt(tape, time);
  if (list === null || tape.kind(list) !== JsonKind.array || time === null || milliseconds === null)
    throw new Error('a search answer has no hits or no time');
  const places: JsonRange[] = [];
  const after = tape.next(list);
  for (let hit = list + 1; hit < after; hit = tape.next(hit)) places.push(rangeOf(hit));
  return {
    answer,
    places,
    time: { ...rangeOf(time), milliseconds },
    semanticHitCount: memberRange('semanticHitCount'),
    rerankInput: memberRange(RERANK_MEMBER),
  };
}

/** Of a member of the scanned answer. */
function memberRange(name: string): JsonRange | null {
  const node = memberNode(tape, 0, name);
  return node === null ? null : rangeOf(node);
}

const rangeOf = (node: number): JsonRange => ({ start: tape.start(node), end: tape.end(node) });

export const parsedHit = ({ answer }: SearchHits, { start, end }: JsonRange): Json =>
  JSON.parse(Buffer.from(answer.subarray(start, end)).toString()) as Json;

/** The fields of a hit as JSON, truncated if long. */
export function textOfHit(hit: Json, charsMax: number): string {
  const fields = Object.entries(hit).filter(([name]) => !ADDED_MEMBERS.has(name));
  return JSON.stringify(Object.fromEntries(fields)).slice(0, charsMax);
}

/** Scores of some hits, by their number; empty if the reranker failed. */
export type Scores = ReadonlyMap<number, number>;

/**
 * Numbers of all hits, best first; hits without a score follow in their previous order.
 * @param fixed numbers of hits that keep their place
 */
export function placesInOrder(count: number, scores: Scores, fixed: ReadonlySet<number>): number[] {
  const order = [...scores].sort(([, a], [, b]) => b - a).map(([number]) => number);
  const all = Array.from({ length: count }, (_, number) => number);
  const rest = all.filter((number) => !scores.has(number) && !fixed.has(number));
  const free = [...order, ...rest].values();
  return all.map((number) => (fixed.has(number) ? number : (free.next().value ?? number)));
}

export interface Edit extends JsonRange {
  readonly bytes: Uint8Array;
}

/** @param edits in order of their ranges */
export function edited(answer: Uint8Array, edits: readonly Edit[]): Buffer {
  const parts: Uint8Array[] = [];
  let end = 0;
  for (const edit of edits) {
    parts.push(answer.subarray(end, edit.start), edit.bytes);
    end = edit.end;
  }
  return Buffer.concat([...parts, answer.subarray(end)]);
}

/** Replaces all hits. @param hits JSON of the new ones */
export function hitsEdit({ places }: SearchHits, hits: readonly Uint8Array[]): readonly Edit[] {
  const [first, last] = [places[0], places.at(-1)];
  if (first === undefined || last === undefined) return [];
  const bytes = Buffer.concat(hits.flatMap((hit, i) => (i === 0 ? [hit] : [COMMA, hit])));
  return [{ start: first.start, end: last.end, bytes }];
}

/** @param moreMs milliseconds to add to the answer's processing time */
export const timeEdit = ({ time }: SearchHits, moreMs: number): Edit => ({
  start: time.start,
  end: time.end,
  bytes: Buffer.from(String(Math.floor(time.milliseconds + moreMs))),
});

/** The answer with reordered hits. Hits precede the time in answers of this server. */
export function reordered(
  hits: SearchHits,
  scores: Scores,
  fixed: ReadonlySet<number>,
  moreMs: number,
): Uint8Array {
  const { answer, places } = hits;
  const ordered = placesInOrder(places.length, scores, fixed).flatMap((number) => {
    const place = places[number];
    return place === undefined ? [] : [answer.subarray(place.start, place.end)];
  });
  return edited(answer, [...hitsEdit(hits, ordered), timeEdit(hits, moreMs)]);
}
