/**
 * Location of the files of an index. Sent with every task to the thread that runs it, which opens
 * the files. The sender must have made the files available locally, so that engine and search read
 * them synchronously.
 */
export type IndexLocation =
  /** An absolute path. */
  | { readonly kind: 'folder'; readonly path: string }
  /** In the memory of each thread, without a disk. */
  | { readonly kind: 'memory'; readonly name: string };

/** A text key, equal for equal locations. */
export const locationKey = (location: IndexLocation): string =>
  location.kind === 'folder' ? `folder ${location.path}` : `memory ${location.name}`;
