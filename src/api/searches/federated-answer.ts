/**
 * Merges the results of several indexes into the answer of a federated search (relevance.md 7.6,
 * api.md 9).
 */
import { ApiError, type ErrorEnvelope, type WireError } from '../../core/errors.ts';
import type { TimeSlices } from '../../core/time-slices.ts';
import {
  FacetMerge,
  FacetOrders,
  type FacetTable,
  facetsByIndexMember,
  joinIndexes,
  mergedFacetMembers,
} from '../../model/federated-facets.ts';
import { isComparable, isTables, type RankedQuery, type RuleKind } from '../../model/federation.ts';
import { groupFactsJson } from '../../model/shared-groups.ts';
import { vectorJson } from '../../model/vector-json.ts';
import { rerankMembers, withScore } from '../../rerank/reranked-answer.ts';
import { withGroup } from './federated-groups.ts';
import {
  type FederatedPage,
  type MergedPage,
  type PagePlan,
  pageOfHits,
  windowOf,
} from './federated-page.ts';
import type { IndexAnswer, LocatedHit } from './index-answer.ts';
import type { FederatedRerank } from './reranked-search.ts';

export interface FederationPlan extends PagePlan {
  /** Indexes of the queries; facets of further indexes are checked but not shown. */
  readonly queriedUids: ReadonlySet<string>;
  readonly retrievesVectors: boolean;
  /** Errors of remote instances by name; null = no remote instance was queried. */
  readonly remoteErrors: Readonly<Record<string, ErrorEnvelope>> | null;
  readonly rerank: FederatedRerank | null;
  /** Puts documents of other indexes into the hits of the page; null = none. */
  readonly hydrate:
    | ((hits: readonly LocatedHit[], slices: TimeSlices) => Promise<readonly LocatedHit[]>)
    | null;
  /** The words of the only query, if the answer has the members of a plain search; else null. */
  readonly plainQuery: string | null;
}

interface FederatedFacts {
  readonly requestUid: string;
  readonly processingTimeMs: number;
  /** Present on request. */
  readonly performanceDetails?: Readonly<Record<string, string>>;
}

/** An error of a query, or of another part at `path` in the body, with that path in the message. */
export const errorInside = (path: string, { code, message }: WireError): ApiError =>
  new ApiError(code, `Inside \`.${path}\`: ${message}`);

/**
 * Checks the answers of indexes in their order: of each the order of its facet values, its queries,
 * its facets. @throws ApiError of the first query that failed or whose ranking is not comparable
 * with an earlier one, or of facets
 */
export function checkParts(answers: readonly IndexAnswer[], mergesFacets: boolean): void {
  let longest: Rules | null = null;
  const orders = new FacetOrders();
  for (const { indexUid, part } of answers) {
    const { facets, queries } = part;
    if (mergesFacets && isTables(facets)) checkOrder(orders, indexUid, facets);
    for (const query of queries) {
      longest = longerRules(longest, query);
      if (query.error !== null) throw errorInside(`queries[${query.position}]`, query.error);
    }
    if (facets !== null && 'code' in facets)
      throw errorInside(`federation.facetsByIndex.${indexUid}`, facets);
  }
}

function checkOrder(orders: FacetOrders, indexUid: string, tables: readonly FacetTable[]): void {
  const conflict = orders.add({ indexUid, tables });
  if (conflict === null) return;
  throw errorInside(`federation.facetsByIndex.${indexUid}`, {
    code: 'invalid_multi_search_facet_order',
    message: `the values of \`${conflict.path}\` cannot be merged, because the indexes \`${conflict.indexUid}\` and \`${indexUid}\` order them differently in \`faceting.sortFacetValuesBy\`. Give both the same order or leave \`mergeFacets\` out.`,
  });
}

type Rules = Pick<RankedQuery, 'position'> & { readonly rules: readonly RuleKind[] };

function longerRules(longest: Rules | null, { position, rules }: RankedQuery): Rules | null {
  if (rules === null) return longest;
  const own = { position, rules };
  if (longest === null) return own;
  if (!isComparable(longest.rules, rules)) throw incomparable(own, longest);
  return rules.length > longest.rules.length ? own : longest;
}

function incomparable(query: Rules, other: Rules): ApiError {
  const place = query.rules.findIndex((kind, i) => kind !== other.rules[i]);
  const says = ({ position, rules }: Rules): string =>
    `\`queries[${position}]\` ranks by ${describe(rules[place])} (all its places: ${rules.map(describe).join(', ')})`;
  return new ApiError(
    'invalid_multi_search_query_ranking_rules',
    `Inside \`.queries[${query.position}]\`: the results cannot be merged with those of \`queries[${other.position}]\`, because at place ${place} of their rankings ${says(query)} while ${says(other)}. Give both the same kinds of sort in the same directions.`,
  );
}

const DESCRIPTIONS: Readonly<Record<RuleKind, string>> = {
  relevancy: 'relevancy',
  'field:asc': 'an ascending sort',
  'field:desc': 'a descending sort',
  'geo:asc': 'an ascending geo sort',
  'geo:desc': 'a descending geo sort',
};
const describe = (kind: RuleKind | undefined): string =>
  kind === undefined ? 'nothing' : DESCRIPTIONS[kind];

/**
 * The body of the answer, in parts. @param given have passed `checkParts`. @throws the reason of
 * the request's end
 */
export async function writeFederatedAnswer(
  given: readonly IndexAnswer[],
  plan: FederationPlan,
  slices: TimeSlices,
  facts: () => FederatedFacts,
): Promise<Uint8Array[]> {
  const merged = await pageOfHits(given, plan, slices);
  const { answers, groups } = merged;
  const facets = await facetMembers(answers, plan, slices);
  const { shown, members } = await rerankedPage(merged.shown, plan);
  const candidates = answers.reduce((sum, { part }) => sum + part.candidateCount, 0);
  const grouped = groupedCountOf(answers) ?? (plan.grouping && 0);
  const total = merged.groupCount ?? Math.max(0, candidates - merged.droppedCount);
  const hits = await joinHits(await hydratedGroups(shown, groups, plan, slices), slices);
  const semantic = await semanticMembers(answers, shown, plan, slices);
  const { requestUid, processingTimeMs, performanceDetails } = facts();
  const details = performanceDetails
    ? `,"performanceDetails":${JSON.stringify(performanceDetails)}`
    : '';
  return [
    Buffer.from('{"hits":['),
    ...hits,
    Buffer.from(
      `],"processingTimeMs":${processingTimeMs},${totals(plan.page, total)}${groupTotals(total, grouped)}`,
    ),
    ...(plan.isPartOfGroups ? await groupParts(answers, slices) : []),
    Buffer.from(
      `${facets}${semantic}${members}${networkMembers(plan)},"requestUid":"${requestUid}"${details}}`,
    ),
  ];
}

async function hydratedGroups(
  shown: readonly LocatedHit[],
  groups: MergedPage['groups'],
  { hydrate }: FederationPlan,
  slices: TimeSlices,
): Promise<readonly LocatedHit[]> {
  const membersOf = (hit: LocatedHit) => groups?.get(hit)?.members ?? [];
  const all = shown.flatMap((hit) => [hit, ...membersOf(hit)]);
  const hydrated = (await hydrate?.(all, slices)) ?? all;
  if (groups === null) return hydrated;
  let at = 0;
  return shown.map((hit) => {
    const [own = hit, ...members] = hydrated.slice(at, at + 1 + membersOf(hit).length);
    at += 1 + members.length;
    const bytes = withGroup(own, { count: groups.get(hit)?.count ?? 1, members });
    return { ...own, bytes, start: 0, end: bytes.length };
  });
}

/** Members for the instance that makes the groups, with a leading comma. */
async function groupParts(
  answers: readonly IndexAnswer[],
  slices: TimeSlices,
): Promise<Uint8Array[]> {
  const facts: string[] = [];
  const groups: Uint8Array[] = [];
  for (const answer of answers) {
    const { indexUid, part, bytes, remote } = answer;
    if (part.groupFacts !== null)
      facts.push(`${JSON.stringify(indexUid)}:${groupFactsJson(part.groupFacts)}`);
    for (const { count, hits } of part.precedingGroups) {
      const located = hits.map((hit) => ({ ...hit, bytes, remote }));
      groups.push(
        Buffer.from(`${groups.length > 0 ? ',' : ''}{"count":${count},"hits":[`),
        ...(await joinHits(located, slices)),
        Buffer.from(']}'),
      );
    }
    await slices.between();
  }
  return [
    Buffer.from(`,"groupFacts":{${facts.join(',')}},"precedingGroups":[`),
    ...groups,
    Buffer.from(']'),
  ];
}

interface RerankedPage {
  readonly shown: readonly LocatedHit[];
  /** With a leading comma; empty without a reranker. */
  readonly members: string;
}

/** @param hits of the merged window */
async function rerankedPage(
  hits: readonly LocatedHit[],
  { page, rerank }: FederationPlan,
): Promise<RerankedPage> {
  if (rerank === null) return { shown: hits, members: '' };
  const { offset, limit } = windowOf(page);
  const isCut = offset < rerank.topN;
  const { order, scores, failure } = await rerank.rank(isCut ? hits : []);
  const numbers = isCut ? order.slice(offset, offset + limit) : [...hits.keys()];
  const count = numbers.filter((number) => scores.has(number)).length;
  return {
    shown: numbers.flatMap((number) => {
      const hit = hits[number];
      if (hit === undefined) return [];
      const score = rerank.showsScore(hit.position) ? scores.get(number) : undefined;
      const bytes = withScore(hit.bytes.subarray(hit.start, hit.end), score);
      return [{ ...hit, bytes, start: 0, end: bytes.length }];
    }),
    members: `,${rerankMembers(count, failure)}`,
  };
}

/** Members of vector searches, with a leading comma; empty without any. */
async function semanticMembers(
  answers: readonly IndexAnswer[],
  hits: readonly LocatedHit[],
  { plainQuery, retrievesVectors }: FederationPlan,
  slices: TimeSlices,
): Promise<string> {
  const queries = answers.flatMap(({ part }) => part.queries);
  const isPlain = plainQuery !== null;
  if (!queries.some(({ isSemantic }) => isSemantic))
    return retrievesVectors && !isPlain ? vectorsMember([], isPlain) : '';
  const vectors: [position: number, json: string][] = [];
  for (const { position, queryVector } of queries) {
    if (queryVector !== null) vectors.push([position, vectorJson(queryVector)]);
    await slices.between();
  }
  const isShown = vectors.length > 0 || (retrievesVectors && !isPlain);
  const queryVectors = isShown ? vectorsMember(vectors, isPlain) : '';
  const count = hits.filter(({ isSemantic }) => isSemantic).length;
  return `${queryVectors},"semanticHitCount":${count}`;
}

/** One vector per query, from any of the instances. */
function vectorsMember(vectors: readonly (readonly [number, string])[], isPlain: boolean): string {
  if (isPlain) return `,"queryVector":${vectors[0]?.[1]}`;
  const members = [...new Map(vectors)].map(([position, vector]) => `"${position}":${vector}`);
  return `,"queryVectors":{${members.join(',')}}`;
}

/** With a leading comma. */
function networkMembers({ remoteErrors, plainQuery }: FederationPlan): string {
  const query = plainQuery === null ? '' : `,"query":${JSON.stringify(plainQuery)}`;
  return remoteErrors === null ? query : `${query},"remoteErrors":${JSON.stringify(remoteErrors)}`;
}

const COMMA = Buffer.from(',');

async function joinHits(hits: readonly LocatedHit[], slices: TimeSlices): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = [];
  for (const { bytes, start, end } of hits) {
    if (slices.isOver) await slices.next();
    if (parts.length > 0) parts.push(COMMA);
    parts.push(bytes.subarray(start, end));
  }
  return parts;
}

function totals(page: FederatedPage, total: number): string {
  if ('offset' in page)
    return `"limit":${page.limit},"offset":${page.offset},"estimatedTotalHits":${total}`;
  const { hitsPerPage } = page;
  const totalPages = hitsPerPage === 0 ? 0 : Math.ceil(total / hitsPerPage);
  return `"hitsPerPage":${hitsPerPage},"page":${page.page},"totalPages":${totalPages},"totalHits":${total}`;
}

/** Documents in the groups of all indexes; null without groups. */
function groupedCountOf(answers: readonly IndexAnswer[]): number | null {
  const counts = answers.flatMap(({ part: { groupedCount } }) => groupedCount ?? []);
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count);
}

/** With a leading comma; empty without groups. */
const groupTotals = (groups: number, documents: number | null): string =>
  documents === null ? '' : `,"totalGroups":${groups},"totalDocuments":${documents}`;

/** Facet members with a leading comma; empty if no facets were requested. */
async function facetMembers(
  answers: readonly IndexAnswer[],
  { mergeFacets: merging, queriedUids }: FederationPlan,
  slices: TimeSlices,
): Promise<string> {
  const named = joinIndexes(
    answers.flatMap(({ indexUid, part: { facets } }) =>
      isTables(facets) ? [{ indexUid, tables: facets }] : [],
    ),
  );
  const indexes = named.filter(({ indexUid }) => queriedUids.has(indexUid));
  if (merging === null) return indexes.length === 0 ? '' : `,${facetsByIndexMember(indexes)}`;
  if (indexes.length === 0) return '';
  const merge = new FacetMerge();
  for (const { tables } of indexes) {
    for (const table of tables) merge.add(table);
    await slices.between();
  }
  return `,${mergedFacetMembers(merge.tables(merging.valuesMax))}`;
}
