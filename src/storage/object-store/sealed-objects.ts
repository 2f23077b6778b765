/**
 * Objects that end with the SHA-256 of their content (32 bytes), so each one can be checked alone.
 * They are read in parts, because a store may cut or slow down a long answer.
 */
import { createHash } from 'node:crypto';
import {
  bodyBytes,
  bodyChunks,
  type ObjectBody,
  type ObjectStore,
  ObjectStoreError,
} from './object-store.ts';

/** Bytes of one read from the store. */
const PART_BYTES = 8 << 20;
/** Parts of one object that are read at the same time. */
const PARTS_AHEAD = 4;
const DIGEST_BYTES = 32;

/** Name and length of an object. */
export interface StoredObject {
  readonly key: string;
  /** Bytes of its content. */
  readonly bytes: number;
}

/** Bytes of the object of a content. */
export const sealedBytes = (contentBytes: number): number => contentBytes + DIGEST_BYTES;

/** An object that is missing, or has not the content that was written; the message names it. */
export class DamagedObject extends ObjectStoreError {}

const ofOtherLength = (key: string, found: number, expected: number): DamagedObject =>
  new DamagedObject(`object ${key} has ${found} bytes, expected ${expected}`);

const withOtherContent = (key: string): DamagedObject =>
  new DamagedObject(`object ${key} is damaged: its SHA-256 does not match`);

/** Resolves when the store has the content, and returned what was written to it. */
export async function putSealed(
  objects: ObjectStore,
  key: string,
  content: ObjectBody,
): Promise<void> {
  const bytes = bodyBytes(content);
  const hash = createHash('sha256');
  for await (const chunk of bodyChunks(content)) hash.update(chunk);
  const digest = hash.digest();
  await objects.put(key, {
    bytes: sealedBytes(bytes),
    async *chunks() {
      yield* bodyChunks(content);
      yield digest;
    },
  });
  if (!(await writtenDigest(objects, { key, bytes })).equals(digest)) throw unlike(key);
}

/** The SHA-256 of an object that was just written. */
async function writtenDigest(objects: ObjectStore, object: StoredObject): Promise<Buffer> {
  return verifySealed(objects, object).catch((error: unknown) => {
    throw error instanceof DamagedObject ? unlike(object.key) : error;
  });
}

const unlike = (key: string): ObjectStoreError =>
  new ObjectStoreError(`PUT ${key}: the store returns other bytes than it received`);

/** Reads the object to its end. @returns its SHA-256 @throws DamagedObject */
export async function verifySealed(
  objects: ObjectStore,
  { key, bytes }: StoredObject,
): Promise<Buffer> {
  const parts = sealedChunks(objects, key, bytes);
  for (;;) {
    const { done, value } = await parts.next();
    if (done === true) return value;
  }
}

/** The content of a small object; null if there is no object. @throws DamagedObject */
export async function getSealed(objects: ObjectStore, key: string): Promise<Buffer | null> {
  const found = await objects.get(key);
  if (found === null) return null;
  const sealed = Buffer.from(found);
  const end = Math.max(0, sealed.length - DIGEST_BYTES);
  const content = sealed.subarray(0, end);
  if (createHash('sha256').update(content).digest().equals(sealed.subarray(end))) return content;
  throw withOtherContent(key);
}

/**
 * Copies an object from another store, within the stores if they can, and reads the copy to check it.
 * @throws DamagedObject if the object of the other store is damaged
 */
export async function copySealed(
  from: ObjectStore,
  to: ObjectStore,
  object: StoredObject,
): Promise<void> {
  const { key } = object;
  const bytes = sealedBytes(object.bytes);
  const isCopied = (await to.copyFrom?.(from, key, bytes)) === true;
  if (!isCopied) await to.put(key, { bytes, chunks: () => wholeParts(from, key, bytes) });
  await writtenDigest(to, object).catch(async (error: unknown) => {
    await verifySealed(from, object);
    throw error;
  });
}

async function* wholeParts(
  objects: ObjectStore,
  key: string,
  bytes: number,
): AsyncGenerator<Uint8Array> {
  for await (const [, part] of partsOf(objects, key, bytes)) yield present(key, part);
}

function present(key: string, part: Uint8Array | null): Uint8Array {
  if (part === null) throw new DamagedObject(`object ${key} is missing`);
  return part;
}

/**
 * The content of an object in parts.
 * @param bytes length of the content
 * @returns its SHA-256
 * @throws DamagedObject after the last part
 */
export async function* sealedChunks(
  objects: ObjectStore,
  key: string,
  bytes: number,
): AsyncGenerator<Uint8Array, Buffer> {
  const hash = createHash('sha256');
  const trailer: Uint8Array[] = [];
  let length = 0;
  for await (const [start, part] of partsOf(objects, key, sealedBytes(bytes))) {
    const found = present(key, part);
    length += found.length;
    const content = found.subarray(0, Math.max(0, bytes - start));
    hash.update(content);
    // A copy: a view, even an empty one, would keep the part in memory.
    trailer.push(Buffer.from(found.subarray(content.length)));
    yield content;
  }
  if (length !== sealedBytes(bytes)) throw ofOtherLength(key, length, sealedBytes(bytes));
  const digest = hash.digest();
  if (!Buffer.concat(trailer).equals(digest)) throw withOtherContent(key);
  return digest;
}

/** The parts of an object with their places, in order. */
async function* partsOf(
  objects: ObjectStore,
  key: string,
  end: number,
): AsyncGenerator<readonly [number, Uint8Array | null]> {
  const ahead: Promise<readonly [number, Uint8Array | null]>[] = [];
  for (let next = 0; next < end || ahead.length > 0; ) {
    for (; next < end && ahead.length < PARTS_AHEAD; next += PART_BYTES) {
      const start = next;
      const range = { start, end: Math.min(end, start + PART_BYTES) };
      const part = objects.get(key, range).then((bytes) => [start, bytes] as const);
      // Its failure shows where it is awaited, unless an earlier part has failed.
      part.catch(() => undefined);
      ahead.push(part);
    }
    yield await (ahead.shift() as (typeof ahead)[number]);
  }
}
