/** Programs of dist that commands start. */
export const ownEntries = {
  server: new URL('../main.js', import.meta.url),
  checkIndex: new URL('../../processes/check-index.js', import.meta.url),
  copyInstance: new URL('../../processes/copy-instance.js', import.meta.url),
  /** The bundle of the program and its packages, made by the build. */
  mcp: new URL('../../mcp/serve-stdio.js', import.meta.url),
} as const;
