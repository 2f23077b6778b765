/** Hands answered searches to the analytics. */
import { RECORDED_LENGTH_MAX } from '../../model/analytics.ts';
import type { MultiSearchQuery } from '../../model/schemas/multi-search-schema.ts';
import type { ApiContext } from '../contract/context.ts';
import type { RouteHeaders } from '../contract/route.ts';
import type { SearchMetadata } from './search-metadata.ts';

const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

interface AnsweredSearch {
  readonly index: string;
  readonly q: string | null | undefined;
  readonly filter: unknown;
  /** The answer, or its end with the number of hits. */
  readonly bytes: Uint8Array;
  readonly queryUid: string | undefined;
  /** Arrival by the monotonic clock. */
  readonly sinceMs: number;
}

/** Does nothing if analytics are off, also for this search, or another instance sent it. */
export function recordSearch(
  { analytics, clock }: ApiContext,
  { userId, proxySearch, analytics: wanted }: RouteHeaders,
  { index, q, filter, bytes, queryUid, sinceMs }: AnsweredSearch,
): void {
  if (analytics === null || wanted === 'off' || proxySearch === 'true') return;
  analytics.searched({
    index,
    at: clock.now(),
    query: cut(q ?? ''),
    filter: cut(textOf(filter)),
    hits: totalHits(bytes),
    ms: Math.round((clock.monotonic() - sinceMs) * 100) / 100,
    user: userId === '' ? undefined : cut(userId),
    queryUid,
  });
}

/** The last parts of a federated answer: the second last has the number of hits. */
const END_PARTS = -2;

interface FederatedSearch {
  readonly queries: readonly MultiSearchQuery[];
  /** Of the answer, with metadata. */
  readonly parts: readonly Uint8Array[];
  readonly metadata: readonly SearchMetadata[] | null;
  readonly sinceMs: number;
}

/** Each query on an index of this server is a search, whose hits are those of the whole answer. */
export function recordFederated(
  context: ApiContext,
  headers: RouteHeaders,
  { queries, parts, metadata, sinceMs }: FederatedSearch,
): void {
  if (context.analytics === null) return;
  const bytes = Buffer.concat(parts.slice(END_PARTS));
  for (const [i, { indexUid: index, q, filter }] of queries.entries()) {
    if (context.indexes.get(index) === undefined) continue;
    const queryUid = metadata?.[i]?.queryUid;
    recordSearch(context, headers, { index, q, filter, bytes, queryUid, sinceMs });
  }
}

function textOf(filter: unknown): string {
  if (filter === null || filter === undefined) return '';
  return typeof filter === 'string' ? filter : JSON.stringify(filter);
}

/** A slice would hold the whole text in memory. */
const cut = (text: string): string =>
  text.length <= RECORDED_LENGTH_MAX
    ? text
    : Buffer.from(text.slice(0, RECORDED_LENGTH_MAX)).toString();

/**
 * The number behind the last member of one of these names. A field, a facet or a value of that name
 * is before it, or not followed by a number.
 */
function totalHits(bytes: Uint8Array): number {
  const answer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (const member of ['"estimatedTotalHits":', '"totalHits":']) {
    let at = answer.lastIndexOf(member);
    while (at >= 0) {
      const start = at + member.length;
      let end = start;
      for (; end < answer.length && isDigit(answer[end] as number); end++);
      if (end > start) return Number(answer.toString('latin1', start, end));
      at = at === 0 ? -1 : answer.lastIndexOf(member, at - 1);
    }
  }
  return 0;
}

const isDigit = (byte: number): boolean => byte >= DIGIT_0 && byte <= DIGIT_9;
