/**
 * The only place that knows where the process and thread entries are: `.ts` beside the sources,
 * `.js` in dist.
 */
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const urlOf = (entry: string): URL =>
  new URL(`../../workers/${entry}.${extension}`, import.meta.url);

export const workerUrls = {
  front: urlOf('front'),
  indexer: urlOf('indexer'),
  query: urlOf('query'),
  payload: urlOf('payload'),
  indexing: urlOf('indexing'),
  restore: urlOf('restore'),
  embedding: urlOf('embedding'),
} as const;
