/**
 * A remote instance's answer to a federated search, split into hits that can be merged with local
 * ones. Hits keep their bytes; only `_federation` is rewritten. Instances of this server send the
 * ranking values of their hits (`PeerFacts`); other servers only send the weighted score.
 */

import { compareCodePoints } from '../core/compare-text.ts';
import { ApiError } from '../core/errors.ts';
import { isObject, type Json, objectOf } from '../core/json.ts';
import { ByteBuffer } from '../engine/bytes/byte-buffer.ts';
import { JsonError } from '../engine/json/json-error.ts';
import { stringText } from '../engine/json/json-string.ts';
import { JsonKind, JsonTape } from '../engine/json/json-tape.ts';
import { memberNode, numberAt, tapeMembers } from '../engine/json/tape-members.ts';
import type { FacetTable, IndexFacets } from '../model/federated-facets.ts';
import {
  type FederatedHit,
  type FoundGroup,
  type GroupedHit,
  isScoreElement,
  type PeerFacts,
  type PinnedPlace,
  type ScoreElement,
} from '../model/federation.ts';
import { PIN_POSITION_MAX } from '../model/schemas/search-rule-schema.ts';
import type { GroupFacts, GroupValue, ValueGroups } from '../model/shared-groups.ts';

export interface RemoteAnswer {
  /** Best first; ranges in `bytes`. */
  readonly hits: readonly FederatedHit[];
  readonly bytes: Uint8Array;
  /** Number of documents that match at least one query. */
  readonly candidateCount: number;
  readonly facets: readonly IndexFacets[];
  readonly isSemantic: boolean;
  /** By the position of the query. */
  readonly queryVectors: ReadonlyMap<number, Float32Array>;
  /** null = no groups were asked for. */
  readonly groups: RemoteGroups | null;
}

export interface RemoteGroups {
  readonly documentCount: number;
  readonly facts: ReadonlyMap<string, GroupFacts>;
  /** By preceding group with a size. */
  readonly preceding: readonly FoundGroup[];
}

const tape = new JsonTape();

/**
 * @param remote name of the instance
 * @param precedingCount number of preceding groups with a size; null = no groups were asked for
 * @throws ApiError `remote_bad_response`
 */
export function readRemoteAnswer(
  body: Uint8Array,
  remote: string,
  precedingCount: number | null = null,
): RemoteAnswer {
  const refuse = (problem: string): never => {
    throw new ApiError(
      'remote_bad_response',
      `The answer of \`${remote}\` is not a federated search: ${problem}.`,
    );
  };
  let answer: unknown;
  try {
    tape.scan(body, 0, body.length);
    answer = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString());
  } catch (error) {
    if (error instanceof JsonError || error instanceof SyntaxError) return refuse('it is no JSON');
    throw error;
  }
  if (!isObject(answer)) return refuse('it is no object');
  const hits = memberNode(tape, 0, 'hits');
  const count = answer['estimatedTotalHits'] ?? answer['totalHits'];
  if (hits === null || tape.kind(hits) !== JsonKind.array) return refuse('it has no list of hits');
  if (typeof count !== 'number') return refuse('it does not say how many hits there are');
  const out = new ByteBuffer();
  const factsOf = (list: unknown): Json[] =>
    (list as readonly unknown[]).map((hit) =>
      isObject(hit) && isObject(hit['_federation']) ? hit['_federation'] : refuse('a hit is none'),
    );
  const read: ReadHits = (array, list) => writeHits(array, factsOf(list), remote, out);
  const ranked = read(hits, answer['hits']);
  const groups = precedingCount === null ? null : groupsOf(answer, read);
  if (groups === null ? precedingCount !== null : groups.preceding.length !== precedingCount) {
    return refuse('it has no groups of several instances, which its version may not know');
  }
  return {
    hits: ranked,
    bytes: out.copy(),
    groups,
    candidateCount: count,
    facets: facetsOf(memberNode(tape, 0, 'facetsByIndex')),
    isSemantic: typeof answer['semanticHitCount'] === 'number',
    queryVectors: vectorsOf(answer['queryVectors']),
  };
}

/** @param array node of the list */
type ReadHits = (array: number, list: unknown) => FederatedHit[];

/** null if the answer lacks what groups of several instances need. */
function groupsOf(answer: Json, read: ReadHits): RemoteGroups | null {
  const { totalDocuments, groupFacts, precedingGroups } = answer;
  if (typeof totalDocuments !== 'number' || !isObject(groupFacts)) return null;
  if (!Array.isArray(precedingGroups)) return null;
  const preceding: FoundGroup[] = [];
  let node = (memberNode(tape, 0, 'precedingGroups') ?? 0) + 1;
  for (const group of precedingGroups as readonly unknown[]) {
    const { count, hits } = objectOf(group);
    const own = memberNode(tape, node, 'hits');
    if (typeof count !== 'number' || !Array.isArray(hits) || own === null) return null;
    preceding.push({ count, hits: read(own, hits) });
    node = tape.next(node);
  }
  const facts = Object.entries(groupFacts).map(([uid, own]) => [uid, groupFactsOf(own)] as const);
  return { documentCount: totalDocuments, facts: new Map(facts), preceding };
}

/** Facts with a fault count as too many. */
function groupFactsOf(value: unknown): GroupFacts {
  const { combinations, loneCount, facets } = objectOf(value);
  if (!isListOf(combinations, isTexts) || typeof loneCount !== 'number')
    return { combinations: null, loneCount: 0, facets: null };
  const byPath = new Map<string, ReadonlyMap<string, ValueGroups>>();
  for (const [path, values] of Object.entries(objectOf(facets))) {
    const isValid = (entry: unknown): entry is ValueEntry =>
      isValueEntry(entry, combinations.length);
    if (!isListOf(values, isValid)) return { combinations, loneCount, facets: null };
    const groups = values.map(
      ([text, own, lone]) => [text, { combinations: own, loneCount: lone }] as const,
    );
    byPath.set(path, new Map(groups));
  }
  return { combinations, loneCount, facets: isObject(facets) ? byPath : null };
}

const isListOf = <T>(value: unknown, isOne: (one: unknown) => one is T): value is readonly T[] =>
  Array.isArray(value) && value.every(isOne);
const isText = (value: unknown): value is string => typeof value === 'string';
const isTexts = (value: unknown): value is readonly string[] =>
  isListOf(value, isText) && value.length > 0;

type ValueEntry = readonly [text: string, combinations: readonly number[], loneCount: number];

function isValueEntry(entry: unknown, combinationCount: number): entry is ValueEntry {
  if (!Array.isArray(entry)) return false;
  const [text, combinations, loneCount] = entry as readonly unknown[];
  const isNumber = (number: unknown): number is number =>
    Number.isInteger(number) && Number(number) >= 0 && Number(number) < combinationCount;
  return isText(text) && isListOf(combinations, isNumber) && typeof loneCount === 'number';
}

function writeHits(
  array: number,
  facts: readonly Json[],
  remote: string,
  out: ByteBuffer,
): FederatedHit[] {
  let node = array + 1;
  return facts.map((own) => {
    const start = out.length;
    writeHit(node, own, remote, out);
    node = tape.next(node);
    return { ...mergedBy(own), start, end: out.length };
  });
}

function writeHit(hit: number, own: Json, remote: string, out: ByteBuffer): void {
  const { indexUid, queriesPosition, weightedRankingScore } = own;
  out.pushByte(0x7b);
  const after = tape.next(hit);
  for (let key = hit + 1; key < after; key = tape.next(key + 1)) {
    if (stringText(tape, key) === '_federation') continue;
    out.pushRange(tape.bytes, tape.start(key), tape.end(key));
    out.pushByte(0x3a);
    out.pushRange(tape.bytes, tape.start(key + 1), tape.end(key + 1));
    out.pushByte(0x2c);
  }
  const shown = { indexUid, queriesPosition, weightedRankingScore, remote };
  out.pushText(`"_federation":${JSON.stringify(shown)}}`);
}

function mergedBy(own: Json): Omit<FederatedHit, 'start' | 'end'> {
  const { queriesPosition, weightedRankingScore, weightedScoreValues, distinctValues, isSemantic } =
    own as Json & Partial<PeerFacts>;
  const total = typeof weightedRankingScore === 'number' ? weightedRankingScore : 0;
  const elements: readonly ScoreElement[] =
    Array.isArray(weightedScoreValues) && weightedScoreValues.every(isScoreElement)
      ? weightedScoreValues
      : [{ kind: 'score', value: total }];
  return {
    position: typeof queriesPosition === 'number' ? queriesPosition : 0,
    score: { elements, total },
    pin: pinOf(own['pin']),
    isSemantic: isSemantic === true,
    distinctValues: Array.isArray(distinctValues) ? distinctValues.map(String) : [],
    group: groupOf(own['group']),
  };
}

function groupOf(group: unknown): GroupedHit | null {
  const { document, value } = objectOf(group);
  return typeof document === 'string' ? { document, value: (value ?? null) as GroupValue } : null;
}

function pinOf(pin: unknown): PinnedPlace | null {
  const { position, precedence } = objectOf(pin);
  return isPlace(position) && typeof precedence === 'number' ? { position, precedence } : null;
}

const isPlace = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= PIN_POSITION_MAX;

function facetsOf(byIndex: number | null): IndexFacets[] {
  return [...tapeMembers(tape, byIndex)].map(([indexUid, facets]) => {
    const stats = memberNode(tape, facets, 'stats');
    const tables = [...tapeMembers(tape, memberNode(tape, facets, 'distribution'))];
    return {
      indexUid,
      tables: tables.map(([path, counts]) => tableOf(path, counts, memberNode(tape, stats, path))),
    };
  });
}

function tableOf(path: string, distribution: number, stats: number | null): FacetTable {
  const counts = [...tapeMembers(tape, distribution)].flatMap(([value, node]) => {
    const count = numberAt(tape, node);
    return count === null ? [] : [[value, count] as const];
  });
  const [min, max] = ['min', 'max'].map((name) => numberAt(tape, memberNode(tape, stats, name)));
  return {
    path,
    order: orderOf(counts),
    isOrderSet: false,
    values: new Map(counts),
    stats: typeof min === 'number' && typeof max === 'number' ? { min, max } : null,
  };
}

/** Infers the order of values from their counts, because the answer does not name it. */
function orderOf(counts: readonly (readonly [string, number])[]): FacetTable['order'] {
  const follows = (
    fits: (before: readonly [string, number], own: readonly [string, number]) => boolean,
  ) => counts.every((own, i) => i === 0 || fits(counts[i - 1] ?? own, own));
  const isAlpha = follows(([before], [own]) => compareCodePoints(before, own) <= 0);
  return !isAlpha && follows(([, before], [, own]) => before >= own) ? 'count' : 'alpha';
}

function vectorsOf(byPosition: unknown): Map<number, Float32Array> {
  const vectors = Object.entries(objectOf(byPosition));
  return new Map(
    vectors.flatMap(([position, vector]) =>
      isVector(vector) ? [[Number(position), Float32Array.from(vector)]] : [],
    ),
  );
}

const isVector = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.every((number) => typeof number === 'number');
