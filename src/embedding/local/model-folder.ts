/** Where the files of a model lie, as this folder needs it; `src/storage/model-store.ts` has it. */

export interface FileDigest {
  readonly algorithm: 'sha1' | 'sha256';
  /** Bytes that are digested before those of the file. */
  readonly prefix: string;
  readonly hex: string;
}

export interface ModelFolder {
  /** For messages. */
  readonly path: string;
  /** JSON of a file, null where there is none. Rejects when it is no JSON. */
  readJson(name: string): Promise<object | null>;
  /** Path of the first of the files that is there. */
  find(names: readonly string[]): string | null;
  /**
   * Writes a file under a temporary name, which becomes its own when its bytes have the digest.
   * @param fill writes the bytes
   */
  write(
    name: string,
    digest: FileDigest,
    fill: (write: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
  ): Promise<void>;
}

/** @param name such as `BAAI/bge-base-en-v1.5` @param revision null = the newest */
export type OpenModelFolder = (name: string, revision: string | null) => ModelFolder;
