/** Where the programs are that commands run: `.ts` beside the sources, `.js` in dist. */
const isSource = import.meta.url.endsWith('.ts');
const extension = isSource ? 'ts' : 'js';

export const ownEntries = {
  server: new URL(`../main.${extension}`, import.meta.url),
  checkIndex: new URL(`../../scripts/check-index.${extension}`, import.meta.url),
  /** With its packages, as the build has joined them. */
  mcp: new URL(isSource ? 'mcp/serve-mcp.ts' : '../../mcp/serve-mcp.js', import.meta.url),
} as const;
