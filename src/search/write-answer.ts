/** Answers as finished JSON bytes: stored documents are spliced in as they lie on disk. */
import { limits } from '../core/limits.ts';
import { ByteBuffer } from '../engine/json/byte-buffer.ts';
import type { SearchRequest } from '../model/search.ts';
import { isPaged, type SearchOutcome } from './execute-search.ts';
import { countFacets, facetMembers } from './facet-distribution.ts';
import { HitWriter } from './format-hits.ts';
import type { IndexSnapshot } from './index-snapshot.ts';

const COMMA = 0x2c;

export interface AnswerFacts {
  readonly requestUid: string;
  /** Milliseconds since the request arrived. */
  readonly processingTimeMs: number;
}

/** What answers are written into, one after the other. */
const answer = new ByteBuffer();

/** The body of a search answer. */
export function writeSearchAnswer(
  snapshot: IndexSnapshot,
  request: SearchRequest,
  outcome: SearchOutcome,
  facts: () => AnswerFacts,
): Uint8Array {
  const out = answer;
  out.clear();
  out.pushText('{"hits":[');
  writeHits(snapshot, request, outcome, out);
  const facets = request.facets ?? [];
  const facetText = facets.length === 0 ? '' : `,${facetMembers(countFacets(snapshot, facets, outcome.candidates))}`;
  const { requestUid, processingTimeMs } = facts();
  out.pushText(`],"query":${JSON.stringify(request.q ?? '')},"processingTimeMs":${processingTimeMs},`);
  out.pushText(`${totals(request, outcome.candidates.count)}${facetText},"requestUid":"${requestUid}"}`);
  return out.copy();
}

function totals(request: SearchRequest, count: number): string {
  if (!isPaged(request)) return `"limit":${request.limit},"offset":${request.offset},"estimatedTotalHits":${count}`;
  const hitsPerPage = request.hitsPerPage ?? limits.pageItemsDefault;
  const totalPages = hitsPerPage === 0 ? 0 : Math.ceil(count / hitsPerPage);
  return `"hitsPerPage":${hitsPerPage},"page":${request.page ?? 1},"totalPages":${totalPages},"totalHits":${count}`;
}

function writeHits(snapshot: IndexSnapshot, request: SearchRequest, outcome: SearchOutcome, out: ByteBuffer): void {
  const hits = new HitWriter(snapshot, request, outcome.query);
  outcome.documents.forEach((document, i) => {
    if (i > 0) out.pushByte(COMMA);
    hits.write(document, out);
  });
}
