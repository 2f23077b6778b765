/** Answer of one index, or of all indexes of a remote instance, to a federated search. */
import type { FederatedHit, FederatedPart } from '../../model/federation.ts';

export interface IndexAnswer {
  readonly indexUid: string;
  readonly part: FederatedPart;
  readonly bytes: Uint8Array;
  /** Name of the instance; null = this one. */
  readonly remote: string | null;
}

export interface LocatedHit extends FederatedHit {
  readonly bytes: Uint8Array;
  /** As in `IndexAnswer`. */
  readonly remote: string | null;
}

export const locatedHits = ({ part, bytes, remote }: IndexAnswer): LocatedHit[] =>
  part.hits.map((hit) => ({ ...hit, bytes, remote }));
