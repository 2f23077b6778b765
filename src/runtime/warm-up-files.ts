/**
 * What the build leaves beside the compiled sources for warm-ups: files of one small index, its
 * manifest, its documents, requests to it.
 */

/** Ids of real indexes begin at 0. */
export const WARM_UP_INDEX = { uid: 'warm-up', id: -1 } as const;

export const WARM_UP_FILES = {
  manifest: 'manifest.json',
  /** Documents of the index as NDJSON. */
  documents: 'documents.ndjson',
  /** `WarmUpRequest[]`. */
  requests: 'requests.json',
} as const;

/** A POST request. */
export interface WarmUpRequest {
  readonly path: string;
  readonly body: string;
}

/** The folder of all of them; absent where the sources run without a build. */
export const warmUpFolder: URL = new URL('../../warm-up/', import.meta.url);
