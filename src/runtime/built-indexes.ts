/** Indexes of the build: that of the warm-up, with requests, and that of the documentation. */

/** Ids are negative: no ids of real indexes, which begin at 0. */
export const WARM_UP_INDEX = { uid: 'warm-up', id: -1 } as const;
export const DOCS_INDEX = { uid: 'documentation', id: -2 } as const;

/** In the folder of each. */
export const BUILT_MANIFEST = 'manifest.json';
/** `WarmUpRequest[]`. */
export const WARM_UP_REQUESTS = 'requests.json';

/** A POST request. */
export interface WarmUpRequest {
  readonly path: string;
  readonly body: string;
}

/** The folders; absent where the sources run without a build. */
export const warmUpFolder: URL = new URL('../../warm-up/', import.meta.url);
export const docsIndexFolder: URL = new URL('../../docs-index/', import.meta.url);
