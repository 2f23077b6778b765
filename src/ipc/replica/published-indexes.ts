/** The newest published manifest of every index, in a front. */
import { Replay } from '../../core/replay.ts';
import type { IndexManifest } from '../../model/index-manifest.ts';

export interface PublishedIndex {
  readonly manifest: IndexManifest;
  /** `encodeManifest` bytes, shared with the query threads. */
  readonly shared: SharedArrayBuffer;
  /** `<index id>:<generation>`. */
  readonly key: string;
  /** The folder of its files. */
  readonly location: string;
}

const utf8 = new TextEncoder();

function toShared(encoded: string): SharedArrayBuffer {
  const bytes = utf8.encode(encoded);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return shared;
}

export class PublishedIndexes {
  readonly #locate: (indexId: number) => string;
  readonly #byUid = new Map<string, PublishedIndex>();
  readonly #uidOf = new Map<number, string>();
  /** null = sorted at the next read. */
  #sortedUids: readonly string[] | null = null;
  /** null = built from the uids at the next read. */
  #list: readonly PublishedIndex[] | null = null;
  readonly #replay = new Replay();

  constructor(locate: (indexId: number) => string) {
    this.#locate = locate;
  }

  get(uid: string): PublishedIndex | undefined {
    return this.#byUid.get(uid);
  }

  /** By ascending uid. */
  list(): readonly PublishedIndex[] {
    this.#sortedUids ??= [...this.#byUid.keys()].sort();
    this.#list ??= this.#sortedUids.map((uid) => this.#byUid.get(uid) as PublishedIndex);
    return this.#list;
  }

  /** Until `endReplay` the indexer publishes every existing index. */
  beginReplay(): void {
    this.#replay.begin();
  }

  /** Removes the indexes that the replay did not name. */
  endReplay(): void {
    for (const uid of this.#replay.end(this.#byUid.keys())) this.#forget(uid);
  }

  /**
   * `encoded` is `encodeManifest` text. An index with a new uid is no longer found under its old
   * one.
   */
  publish(encoded: string): PublishedIndex {
    const manifest = JSON.parse(encoded) as IndexManifest;
    const { uid, id, generation } = manifest;
    const location = this.#locate(id);
    const published = { manifest, shared: toShared(encoded), key: `${id}:${generation}`, location };
    const knownUid = this.#uidOf.get(id);
    const isRenamed = knownUid !== undefined && knownUid !== uid;
    if (isRenamed && this.#byUid.get(knownUid)?.manifest.id === id) this.#forget(knownUid);
    if (!this.#byUid.has(uid)) this.#sortedUids = null;
    this.#list = null;
    this.#byUid.set(uid, published);
    this.#uidOf.set(id, uid);
    this.#replay.name(uid);
    return published;
  }

  /** Does nothing when the uid meanwhile names another index. */
  remove(uid: string, indexId: number): void {
    if (this.#byUid.get(uid)?.manifest.id === indexId) this.#forget(uid);
  }

  #forget(uid: string): void {
    const id = this.#byUid.get(uid)?.manifest.id;
    this.#byUid.delete(uid);
    if (id !== undefined && this.#uidOf.get(id) === uid) this.#uidOf.delete(id);
    this.#sortedUids = null;
    this.#list = null;
  }
}
