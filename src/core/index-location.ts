/**
 * Where the files of an index lie. The value travels with every task to the thread that does it,
 * which opens files there. Whoever posts the task has seen to it that they are present, so that
 * engine and search read them without waiting.
 */
export type IndexLocation =
  /** An absolute path. */
  | { readonly kind: 'folder'; readonly path: string }
  /** In the memory of each thread, for what needs no disk. */
  | { readonly kind: 'memory'; readonly name: string };

/** Equal for equal locations. */
export const locationKey = (location: IndexLocation): string =>
  location.kind === 'folder' ? `folder ${location.path}` : `memory ${location.name}`;
