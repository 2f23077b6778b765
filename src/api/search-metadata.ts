/**
 * The `metadata` member of search answers, which a request header asks for (api.md 1.8 and 6.2).
 */
import type { PublishedIndex } from '../ipc/published-indexes.ts';
import { createRequestUids } from './request-uid.ts';
import type { RouteHeaders } from './route.ts';

export interface SearchMetadata {
  /** Names this run of this query. */
  readonly queryUid: string;
  readonly indexUid: string;
  readonly primaryKey?: string;
  /** The words asked for, if there are any. */
  readonly query?: string;
}

const queryUids = createRequestUids(Date.now);

export const wantsMetadata = ({ includeMetadata }: RouteHeaders): boolean =>
  includeMetadata === '1' || includeMetadata === 'true';

/** @param q what was searched for */
export const searchMetadata = (
  { manifest: { uid, primaryKey } }: PublishedIndex,
  q: string | null | undefined,
): SearchMetadata => ({
  queryUid: queryUids(),
  indexUid: uid,
  ...(primaryKey !== null && { primaryKey }),
  ...(q?.trim() && { query: q }),
});

const CLOSING_BRACE = 0x7d;

/** Puts the member at the end of an answer, which is an object that is not empty. */
export function withMetadata(
  answer: Uint8Array,
  metadata: SearchMetadata | readonly SearchMetadata[],
): Uint8Array {
  if (answer.at(-1) !== CLOSING_BRACE) throw new Error('a search answer is no object');
  return Buffer.concat([
    answer.subarray(0, -1),
    Buffer.from(`,"metadata":${JSON.stringify(metadata)}}`),
  ]);
}
