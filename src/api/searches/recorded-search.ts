/** Hands answered searches to the analytics. */
import { isGiven } from '../../core/is-given.ts';
import { isObject, parseJson } from '../../core/json.ts';
import { RECORDED_LENGTH_MAX } from '../../model/analytics.ts';
import type { MultiSearchQuery } from '../../model/schemas/multi-search-schema.ts';
import type { ApiContext } from '../contract/context.ts';
import type { RouteHeaders } from '../contract/route.ts';
import type { SearchMetadata } from './search-metadata.ts';

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

/** Records each query on an index of this server, with the number of hits of the whole answer. */
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
  if (!isGiven(filter)) return '';
  return typeof filter === 'string' ? filter : JSON.stringify(filter);
}

/** A slice would hold the whole text in memory. */
const cut = (text: string): string =>
  text.length <= RECORDED_LENGTH_MAX
    ? text
    : Buffer.from(text.slice(0, RECORDED_LENGTH_MAX)).toString();

/** Before the number of hits in every answer. */
const TIME_MEMBER = '"processingTimeMs":';

/**
 * A field of a hit, a facet or one of its values may have the name of a member, but the text that
 * begins there is not the rest of an object.
 */
function totalHits(bytes: Uint8Array): number {
  const answer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = answer.lastIndexOf(TIME_MEMBER);
  while (at > 0) {
    const rest = parseJson(`{${answer.toString('utf8', at)}`);
    if (isObject(rest)) return Number(rest['estimatedTotalHits'] ?? rest['totalHits'] ?? 0);
    at = answer.lastIndexOf(TIME_MEMBER, at - 1);
  }
  return 0;
}
