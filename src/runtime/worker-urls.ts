/** Locations of the process and thread entries: bundles of dist (scripts/lib/bundles.mjs). */
const at = (path: string): URL => new URL(`../../${path}`, import.meta.url);
const processEntry = (name: string): URL => at(`processes/${name}.js`);
const threadEntry = (name: string): URL => at(`threads/${name}.js`);

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
  mcp: at('mcp/serve-http.js'),
} as const;
