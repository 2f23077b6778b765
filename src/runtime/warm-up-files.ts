/** What the build writes for the warm-up: the files of a small index, its manifest, requests to it. */

/** Ids of real indexes begin at 0. */
export const WARM_UP_INDEX = { uid: 'warm-up', id: -1 } as const;

export const WARM_UP_FILES = {
  manifest: 'manifest.json',
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
