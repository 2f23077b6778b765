/** Where the programs are that commands run: `.ts` beside the sources, `.js` in dist. */
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

export const ownEntries = {
  server: new URL(`../main.${extension}`, import.meta.url),
  checkIndex: new URL(`../../scripts/check-index.${extension}`, import.meta.url),
} as const;
