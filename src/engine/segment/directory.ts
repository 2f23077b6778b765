/**
 * Port: a folder of named immutable byte files. A name exists with all its bytes or not at all, and
 * is durable when `create` returns.
 */
export interface Directory {
  /** Writes, syncs and names the file. Throws when the name exists. */
  create(name: string, parts: readonly Uint8Array[]): void;
  /**
   * Creates several files as a unit: all of them, or after a failure none that did not exist
   * before.
   */
  createMany(files: readonly NewFile[]): void;
  /**
   * The whole file, memory-mapped if the platform supports it; `close` unmaps it and invalidates
   * all views.
   */
  open(name: string): MappedFile;
  list(): string[];
  remove(name: string): void;
}

export interface NewFile {
  readonly name: string;
  readonly parts: readonly Uint8Array[];
}

export interface MappedFile {
  readonly name: string;
  /** Starts 8-byte aligned; other files may share the buffer. */
  readonly bytes: Uint8Array;
  close(): void;
}
