/**
 * The hits of a finished search answer: their bytes, their texts for a reranking service, and the
 * reordered answer.
 */
import type { Json } from '../core/json.ts';
import { JsonKind, JsonTape } from '../engine/json/json-tape.ts';
import { memberNode, numberAt } from '../engine/json/tape-members.ts';

/** Members that a search adds to a document. */
const ADDED_MEMBERS: ReadonlySet<string> = new Set([
  '_formatted',
  '_matchesPosition',
  '_geoDistance',
  '_rankingScore',
  '_rankingScoreDetails',
  '_vectors',
  '_federation',
  '_group',
]);

interface Range {
  readonly start: number;
  readonly end: number;
}

export interface SearchHits {
  readonly answer: Uint8Array;
  /** Ranges of the hits, in order. */
  readonly places: readonly Range[];
  /** Range of the value of `processingTimeMs`. */
  readonly time: Range & { readonly milliseconds: number };
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
  const places: Range[] = [];
  const after = tape.next(list);
  for (let hit = list + 1; hit < after; hit = tape.next(hit)) places.push(rangeOf(hit));
  return { answer, places, time: { ...rangeOf(time), milliseconds } };
}

const rangeOf = (node: number): Range => ({ start: tape.start(node), end: tape.end(node) });

export const parsedHit = ({ answer }: SearchHits, { start, end }: Range): Json =>
  JSON.parse(Buffer.from(answer.subarray(start, end)).toString()) as Json;

/** The fields of a hit as JSON, truncated if long. */
export function textOfHit(hit: Json, charsMax: number): string {
  const fields = Object.entries(hit).filter(([name]) => !ADDED_MEMBERS.has(name));
  return JSON.stringify(Object.fromEntries(fields)).slice(0, charsMax);
}

/**
 * The answer with reordered hits. Hits precede the time in answers of this server.
 * @param order numbers of hits; other hits follow in their previous order
 * @param fixed numbers of hits that keep their place
 * @param moreMs milliseconds to add to the answer's processing time
 */
export function reordered(
  { answer, places, time }: SearchHits,
  order: readonly number[],
  fixed: ReadonlySet<number>,
  moreMs: number,
): Uint8Array {
  const moved = new Set(order);
  const rest = places.filter((_, number) => !moved.has(number) && !fixed.has(number));
  const free = [...order.flatMap((number) => places[number] ?? []), ...rest].values();
  const ordered = places.map((place, number) =>
    fixed.has(number) ? place : (free.next().value ?? place),
  );
  const [first, last] = [places[0], places.at(-1)];
  if (first === undefined || last === undefined) return answer;
  return Buffer.concat([
    answer.subarray(0, first.start),
    ...ordered.flatMap(({ start, end }, i) =>
      i === 0 ? [answer.subarray(start, end)] : [COMMA, answer.subarray(start, end)],
    ),
    answer.subarray(last.end, time.start),
    Buffer.from(String(Math.floor(time.milliseconds + moreMs))),
    answer.subarray(time.end),
  ]);
}
