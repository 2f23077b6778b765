/**
 * The `metadata` member of search answers, which a request header asks for (api.md 1.8 and 6.2).
 */

import { createTimeOrderedUids } from '../../core/time-ordered-uid.ts';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
import type { RouteHeaders } from '../contract/route.ts';

export interface SearchMetadata {
  /** Names this run of this query. */
  readonly queryUid: string;
  readonly indexUid: string;
  readonly primaryKey?: string;
  /** The instance that is asked, where it is another one. */
  readonly remote?: string;
  /** The words asked for, if there are any. */
  readonly query?: string;
}

const queryUids = createTimeOrderedUids(Date.now);

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

/** Of a query that another instance answers. */
export const remoteMetadata = (
  indexUid: string,
  remote: string,
  q: string | null | undefined,
): SearchMetadata => ({
  queryUid: queryUids(),
  indexUid,
  remote,
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
