/** Requests of a fingerprint to query threads, and their replies. */
import type { FingerprintParts } from './document-fingerprint.ts';

/** Documents of one segment, by rank, from the first (inclusive) to the second. */
export interface FingerprintRange {
  readonly segmentId: string;
  readonly from: number;
  readonly to: number;
}

/** Asks for a sum over documents of a range, or for a list of them. */
export type FingerprintRequest = FingerprintRange &
  (
    | { readonly sum: 'all' | 'dead' }
    /** Live documents whose `idDigest` begins with one of these. */
    | { readonly list: readonly string[] }
  );

export interface DocumentFingerprint {
  readonly id: string;
  readonly fingerprint: string;
}

/** The generation that the thread read: documents die from one to the next. */
export interface FingerprintReply {
  readonly generation: number;
  /** null: the segment is not part of this generation. */
  readonly found: FingerprintParts | readonly DocumentFingerprint[] | null;
}
