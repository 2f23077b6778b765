/** Interface of the folder of a model's files; `src/storage/model-store.ts` implements it. */

export interface FileDigest {
  readonly algorithm: 'sha1' | 'sha256';
  /** Bytes that are digested before those of the file. */
  readonly prefix: string;
  readonly hex: string;
}

export interface ModelFolder {
  /** For messages. */
  readonly path: string;
  /** JSON of a file, null if it does not exist. Rejects when it is not valid JSON. */
  readJson(name: string): Promise<object | null>;
  /** Path of the first of the files that exists. */
  find(names: readonly string[]): string | null;
  /**
   * Writes a file under a temporary name and renames it when its bytes have the digest.
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
