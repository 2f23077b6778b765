/**
 * Port: a folder of named immutable byte files. A name is there with all its bytes or not at all,
 * and durable when `create` returns.
 */
export interface Directory {
  /** Writes, syncs and names the file. Throws when the name exists. */
  create(name: string, parts: readonly Uint8Array[]): void;
  /**
   * Several files that are needed together: all of them, or after a failure none that was not there
   * before.
   */
  createMany(files: readonly NewFile[]): void;
  /** The whole file, mapped where the platform can; `close` unmaps and makes all views invalid. */
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
  /** Starts 8-byte aligned; other files may be in the same buffer. */
  readonly bytes: Uint8Array;
  close(): void;
}
