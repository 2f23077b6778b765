/**
 * Start here. Port: objects by key, as S3 has them. Implemented by `s3-store.ts` and, for tests and
 * network file systems, by `directory-store.ts`.
 *
 * Keys are parts of letters, digits, `.`, `_` and `-`, separated by `/`, relative to the store's
 * prefix. A part does not begin with `.`. A key is never also the folder of another key, which
 * stores on file systems cannot hold. Nothing here relies on conditional overwrites or deletes, on
 * conditional multipart uploads or on the clock of a request: stores differ in them.
 */

/** The content of an upload: bytes, or a stream of known length that can be read again for a retry. */
export type ObjectBody =
  | Uint8Array
  | { readonly bytes: number; readonly chunks: () => AsyncIterable<Uint8Array> };

export interface ByteRange {
  readonly start: number;
  /** Exclusive; an end past the object is cut. */
  readonly end: number;
}

export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
}

export interface ListOptions {
  /** Only keys that come after this one. */
  readonly after?: string;
  /** Most keys of one request to the store; the answer is not cut. */
  readonly pageKeys?: number;
}

/** Every method rejects with `ObjectStoreError` if the store does not do what it is asked. */
export interface ObjectStore {
  /** The bytes of the object or of the range; null if there is no object. */
  get(key: string, range?: ByteRange): Promise<Uint8Array | null>;
  /** Creates or replaces the object. Readers see the old bytes or all new bytes. */
  put(key: string, body: ObjectBody): Promise<void>;
  /**
   * Creates the object. Of concurrent calls for one key, exactly one resolves to true.
   * @param body must differ between callers: after a lost answer, only the bytes of the object show
   * which caller created it
   * @returns false if the object exists
   */
  create(key: string, body: ObjectBody): Promise<boolean>;
  /**
   * Copies an object of another store within the service that has both; absent where the kind of
   * store cannot.
   * @param bytes length of the object
   * @returns false if it was not copied: read and write it
   */
  copyFrom?(source: ObjectStore, key: string, bytes: number): Promise<boolean>;
  /** Objects whose keys begin with the prefix, in the byte order of their keys. */
  list(prefix: string, options?: ListOptions): AsyncIterable<ListedObject>;
  /** Deleting a missing object is no error. */
  delete(key: string): Promise<void>;
  /** Closes idle connections. */
  close(): void;
}

/** A call of the store that failed; the message names the call and its target. */
export class ObjectStoreError extends Error {
  override readonly name: string = 'ObjectStoreError';
}

/** The store did not answer, or answered that it cannot serve now: the call may succeed later. */
export class ObjectStoreAway extends ObjectStoreError {
  override readonly name = 'ObjectStoreAway';
}

const KEY = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/;

export const isKey = (text: string): boolean => KEY.test(text);

export function checkKey(key: string): string {
  if (isKey(key)) return key;
  throw new ObjectStoreError(`${JSON.stringify(key)} is not a valid key of an object`);
}

export const bodyBytes = (body: ObjectBody): number =>
  body instanceof Uint8Array ? body.length : body.bytes;

export async function* bodyChunks(body: ObjectBody): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) yield body;
  else yield* body.chunks();
}
