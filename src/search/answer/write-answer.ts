/** Answers as finished JSON bytes: the bytes of stored documents are copied without parsing. */
import { Deadline } from '../../core/deadline.ts';
import { limits } from '../../core/limits.ts';
import type { Stage, StepTimes } from '../../core/step-times.ts';
import { ByteBuffer } from '../../engine/bytes/byte-buffer.ts';
import { appendMembers } from '../../engine/json/append-members.ts';
import type { AnswerFacts, AnswerPlaces } from '../../model/answer-places.ts';
import { mergedFacetMembers } from '../../model/federated-facets.ts';
import { RERANK_MEMBER } from '../../model/rerank-input.ts';
import {
  DEFAULT_SEARCH_REQUEST,
  isPaged,
  type SearchRequest,
  type SimilarRequest,
} from '../../model/search.ts';
import { vectorJson } from '../../model/vector-json.ts';
import type { RankedDocument } from '../ranking/bucket-sort.ts';
import type { Grouping, SearchOutcome, SimilarOutcome } from '../ranking/search-outcome.ts';
import { type ForeignIndexes, NO_FOREIGN_INDEXES } from '../snapshot/foreign-indexes.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';
import { writeAggregations } from '../values/aggregate.ts';
import { countFacets } from '../values/facet-distribution.ts';
import { appendGroup, HitWriter } from './format-hits.ts';
import { rerankInput, type TextOf } from './rerank-input.ts';

const COMMA = 0x2c;

export interface SearchFacts extends AnswerFacts {
  /** Present if the request asks for performance details. */
  readonly performanceDetails?: Readonly<Record<string, string>>;
  readonly profile?: readonly Stage[];
}

export interface WrittenAnswer {
  readonly bytes: Uint8Array;
  readonly places: AnswerPlaces;
}

/** Options of writing an answer. */
interface WritingOptions {
  /** Step times, if the request asks for them. */
  readonly times?: StepTimes | null;
  readonly deadline?: Deadline;
  /** Maximum size of the answer; a larger answer throws `BufferFull`. */
  readonly bytesMax?: number;
  readonly foreign?: ForeignIndexes;
  /** Text of a document for the reranker of the request. */
  readonly textOf?: TextOf;
}

/** Buffers of the current answer and of its aggregations, reused by the next one. */
const answer = new ByteBuffer();
const aggregated = new ByteBuffer();

/** The body of a search answer. @param facts called after everything else is written */
export function writeSearchAnswer(
  snapshot: IndexSnapshot,
  request: SearchRequest,
  outcome: SearchOutcome,
  facts: () => SearchFacts,
  options: WritingOptions = {},
): WrittenAnswer {
  const { times, deadline = Deadline.never(), foreign = NO_FOREIGN_INDEXES, textOf } = options;
  const out = answer;
  out.begin(options.bytesMax ?? Number.POSITIVE_INFINITY);
  out.pushText('{"hits":[');
  const hits = new HitWriter(snapshot, request, outcome.query, foreign, deadline);
  const groups = outcome.grouping?.groups ?? null;
  writeDocuments(hits, outcome.documents, out, deadline, groups);
  times?.end('answer > hits');
  const facets = request.facets ?? [];
  const { aggregations, sortFacetValuesBy: order } = request;
  const matching = outcome.grouping?.documents ?? outcome.candidates;
  const byGroup = outcome.grouping?.facetGroups ?? null;
  const facetText =
    facets.length === 0
      ? ''
      : `,${mergedFacetMembers(countFacets(snapshot, facets, matching, deadline, order, byGroup))}`;
  aggregated.begin(options.bytesMax ?? Number.POSITIVE_INFINITY);
  if (aggregations !== null) {
    aggregated.pushByte(COMMA);
    writeAggregations(aggregations, matching, { snapshot, foreign, deadline }, aggregated);
  }
  times?.end('answer > facets');
  const { requestUid, processingTimeMs, performanceDetails, profile } = facts();
  out.pushText(`],"query":${JSON.stringify(request.q ?? '')},"processingTimeMs":`);
  const timeStart = out.length;
  out.pushText(String(processingTimeMs));
  const timeEnd = out.length;
  out.pushText(`,${totals(request, outcome.candidates.count)}${groupTotals(outcome)}${facetText}`);
  out.pushBytes(aggregated.view());
  out.pushText(`${semanticMembers(request, outcome)},"requestUid":"`);
  const uidStart = out.length;
  out.pushText(requestUid);
  const uidEnd = out.length;
  out.pushText('"');
  if (profile !== undefined) out.pushText(`,"profile":${JSON.stringify(profile)}`);
  writeDetails(performanceDetails, out);
  if (request.rerank !== null) {
    const input = rerankInput(snapshot, request, outcome.documents, { textOf, deadline });
    appendMembers(out, `"${RERANK_MEMBER}":${JSON.stringify(input)}`);
  }
  return { bytes: out.copy(), places: { timeStart, timeEnd, uidStart, uidEnd } };
}

/** The body of an answer with similar documents. */
export function writeSimilarAnswer(
  snapshot: IndexSnapshot,
  request: SimilarRequest,
  { documents, totalCount }: SimilarOutcome,
  facts: () => Omit<SearchFacts, 'requestUid'>,
  options: WritingOptions = {},
): Uint8Array {
  const { times, deadline = Deadline.never(), foreign = NO_FOREIGN_INDEXES } = options;
  const out = answer;
  out.begin(options.bytesMax ?? Number.POSITIVE_INFINITY);
  out.pushText('{"hits":[');
  const hits = new HitWriter(
    snapshot,
    { ...DEFAULT_SEARCH_REQUEST, ...request },
    null,
    foreign,
    deadline,
  );
  writeDocuments(hits, documents, out, deadline);
  times?.end('answer > hits');
  const { id, limit, offset } = request;
  const { processingTimeMs, performanceDetails } = facts();
  out.pushText(`],"id":${JSON.stringify(id)},"processingTimeMs":${processingTimeMs},`);
  out.pushText(`"limit":${limit},"offset":${offset},"estimatedTotalHits":${totalCount}`);
  writeDetails(performanceDetails, out);
  return out.copy();
}

/** Writes the performance details, if requested, and the end of the answer. */
function writeDetails(details: SearchFacts['performanceDetails'], out: ByteBuffer): void {
  if (details !== undefined) out.pushText(`,"performanceDetails":${JSON.stringify(details)}`);
  out.pushText('}');
}

function totals(request: SearchRequest, found: number): string {
  const totalMax = request.totalMax ?? Number.POSITIVE_INFINITY;
  const count = Math.min(found, totalMax);
  const offset = Math.min(request.offset, totalMax);
  if (!isPaged(request))
    return `"limit":${request.limit},"offset":${offset},"estimatedTotalHits":${count}`;
  const hitsPerPage = request.hitsPerPage ?? limits.pageItemsDefault;
  const totalPages = hitsPerPage === 0 ? 0 : Math.ceil(count / hitsPerPage);
  return `"hitsPerPage":${hitsPerPage},"page":${request.page ?? 1},"totalPages":${totalPages},"totalHits":${count}`;
}

/** Members about the semantic search, with a leading comma. */
function semanticMembers(
  { retrieveVectors }: SearchRequest,
  { queryVector, semanticHitCount }: SearchOutcome,
): string {
  const vector = retrieveVectors && queryVector ? `,"queryVector":${vectorJson(queryVector)}` : '';
  return semanticHitCount === null ? vector : `${vector},"semanticHitCount":${semanticHitCount}`;
}

/** With a leading comma; empty without `groupBy`. */
const groupTotals = ({ candidates, grouping }: SearchOutcome): string =>
  grouping === null
    ? ''
    : `,"totalGroups":${candidates.count},"totalDocuments":${grouping.documents.count}`;

function writeDocuments(
  hits: HitWriter,
  documents: readonly RankedDocument[],
  out: ByteBuffer,
  deadline: Deadline,
  groups: Grouping['groups'] | null = null,
): void {
  documents.forEach((document, i) => {
    deadline.check();
    if (i > 0) out.pushByte(COMMA);
    hits.write(document, out);
    const group = groups?.get(document);
    if (group === undefined) return;
    appendGroup(group, out, (member) => {
      deadline.check();
      hits.write(member, out);
    });
  });
}
