/**
 * Locations of the process and thread entries: `.ts` files in the source tree; in dist `.js` files,
 * bundles (scripts/lib/bundles.mjs).
 */
const isSource = import.meta.url.endsWith('.ts');
const at = (path: string): URL => new URL(`../../${path}`, import.meta.url);
const entryIn =
  (bundles: string) =>
  (entry: string): URL =>
    at(isSource ? `workers/${entry}.ts` : `${bundles}/${entry}.js`);
const processEntry = entryIn('processes');
const threadEntry = entryIn('threads');

export const workerUrls = {
  front: processEntry('front'),
  indexer: processEntry('indexer'),
  restore: processEntry('restore'),
  upgrade: processEntry('upgrade'),
  query: threadEntry('query'),
  payload: threadEntry('payload'),
  indexing: threadEntry('indexing'),
  embedding: threadEntry('embedding'),
  analytics: threadEntry('analytics'),
  /** A module, loaded by the first request to `/mcp`. */
  mcp: at(isSource ? 'src/mcp/serve-http.ts' : 'mcp/serve-http.js'),
} as const;
