/** Build output for the warm-up: the files of a small index, its manifest, and requests. */

/** Not an id of a real index: these begin at 0. */
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

/** The folder of the warm-up files; absent where the sources run without a build. */
export const warmUpFolder: URL = new URL('../../warm-up/', import.meta.url);
