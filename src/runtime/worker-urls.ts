/**
 * Locations of the process and thread entries: `.ts` files in the source tree; in dist `.js` files,
 * threads as one bundle each (scripts/lib/bundles.mjs).
 */
const isSource = import.meta.url.endsWith('.ts');
const at = (path: string): URL => new URL(`../../${path}`, import.meta.url);
const processEntry = (entry: string): URL => at(`workers/${entry}.${isSource ? 'ts' : 'js'}`);
const threadEntry = (entry: string): URL =>
  isSource ? at(`workers/${entry}.ts`) : at(`threads/${entry}.js`);

export const workerUrls = {
  front: processEntry('front'),
  indexer: processEntry('indexer'),
  restore: processEntry('restore'),
  upgrade: processEntry('upgrade'),
  query: threadEntry('query'),
  payload: threadEntry('payload'),
  indexing: threadEntry('indexing'),
  embedding: threadEntry('embedding'),
} as const;
