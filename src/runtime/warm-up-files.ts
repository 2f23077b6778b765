/** What the build leaves beside the compiled sources for the warm-up of a front: files of one small index, its manifest, requests to it. */

/** Ids of real indexes begin at 0. */
export const WARM_UP_INDEX = { uid: 'warm-up', id: -1 } as const;

export const WARM_UP_FILES = { manifest: 'manifest.json', requests: 'requests.json' } as const;

/** The folder of all of them; absent where the sources run without a build. */
export const warmUpFolder: URL = new URL('../../warm-up/', import.meta.url);
