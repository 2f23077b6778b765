/** Paths of the programs that commands start: `.ts` files in the sources, `.js` files in dist. */
const isSource = import.meta.url.endsWith('.ts');
const extension = isSource ? 'ts' : 'js';

export const ownEntries = {
  server: new URL(`../main.${extension}`, import.meta.url),
  checkIndex: new URL(`../../scripts/check-index.${extension}`, import.meta.url),
  copyInstance: new URL(`../../workers/copy-instance.${extension}`, import.meta.url),
  /** The bundle of the program and its packages, made by the build. */
  mcp: new URL(isSource ? '../mcp/serve-stdio.ts' : '../../mcp/serve-stdio.js', import.meta.url),
} as const;
