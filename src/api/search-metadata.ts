/** The `metadata` member of search answers, which a request header asks for (api.md 1.8 and 6.2). */
import type { PublishedIndex } from './context.ts';
import { createRequestUids } from './request-uid.ts';
import type { RouteHeaders } from './route.ts';

export interface SearchMetadata {
  /** Names this run of this query. */
  readonly queryUid: string;
  readonly indexUid: string;
  readonly primaryKey?: string;
  /** The words asked for: of federated queries only, whose answer does not repeat them. */
  readonly query?: string;
}

const queryUids = createRequestUids(Date.now);

export const wantsMetadata = ({ includeMetadata }: RouteHeaders): boolean =>
  includeMetadata === '1' || includeMetadata === 'true';

export function searchMetadata({ manifest: { uid, primaryKey } }: PublishedIndex): SearchMetadata {
  return { queryUid: queryUids(), indexUid: uid, ...(primaryKey === null ? {} : { primaryKey }) };
}

const CLOSING_BRACE = 0x7d;

/** Puts the member at the end of an answer, which is an object that is not empty. */
export function withMetadata(answer: Uint8Array, metadata: SearchMetadata | readonly SearchMetadata[]): Uint8Array {
  if (answer.at(-1) !== CLOSING_BRACE) throw new Error('a search answer is no object');
  return Buffer.concat([answer.subarray(0, -1), Buffer.from(`,"metadata":${JSON.stringify(metadata)}}`)]);
}
