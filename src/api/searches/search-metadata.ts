/** The `metadata` member of search answers, requested by a header (api.md 1.8 and 6.2). */

import { v7 } from 'uuid';
import type { PublishedIndex } from '../../ipc/replica/published-indexes.ts';
import type { RouteHeaders } from '../contract/route.ts';

export interface SearchMetadata {
  /** Identifies this run of the query. */
  readonly queryUid: string;
  readonly indexUid: string;
  readonly primaryKey?: string;
  readonly remote?: string;
  /** The `q` of the request, if any; an empty one too. */
  readonly query?: string;
}

export const wantsMetadata = ({ includeMetadata }: RouteHeaders): boolean =>
  includeMetadata === '1' || includeMetadata === 'true';

/** @param q as the request has it */
export const searchMetadata = (
  searched: { readonly indexUid: string; readonly remote: string } | PublishedIndex,
  q: string | null | undefined,
): SearchMetadata => ({
  queryUid: v7(),
  ...('manifest' in searched ? indexFacts(searched) : searched),
  ...(typeof q === 'string' && { query: q }),
});

const indexFacts = ({ manifest: { uid: indexUid, primaryKey } }: PublishedIndex) =>
  primaryKey === null ? { indexUid } : { indexUid, primaryKey };

const CLOSING_BRACE = 0x7d;

/** Appends the member to an answer, which is a non-empty object. */
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
