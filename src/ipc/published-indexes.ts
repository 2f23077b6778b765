/** The newest published manifest of every index, as a front knows it. */
import type { IndexLocation } from '../core/index-location.ts';
import { Replay } from '../core/replay.ts';
import type { IndexManifest } from '../model/index-manifest.ts';

export interface PublishedIndex {
  readonly manifest: IndexManifest;
  /** `encodeManifest` bytes, shared with the query threads. */
  readonly shared: SharedArrayBuffer;
  /** `<index id>:<generation>`. */
  readonly key: string;
  readonly location: IndexLocation;
}

const utf8 = new TextEncoder();

function toShared(encoded: string): SharedArrayBuffer {
  const bytes = utf8.encode(encoded);
  const shared = new SharedArrayBuffer(bytes.length);
  new Uint8Array(shared).set(bytes);
  return shared;
}

export class PublishedIndexes {
  readonly #locate: (indexId: number) => IndexLocation;
  readonly #byUid = new Map<string, PublishedIndex>();
  readonly #replay = new Replay();

  constructor(locate: (indexId: number) => IndexLocation) {
    this.#locate = locate;
  }

  get(uid: string): PublishedIndex | undefined {
    return this.#byUid.get(uid);
  }

  /** In order of uid. */
  list(): readonly PublishedIndex[] {
    return [...this.#byUid.values()].sort((a, b) => (a.manifest.uid < b.manifest.uid ? -1 : 1));
  }

  /** From here to `endReplay` the indexer names every index that exists. */
  beginReplay(): void {
    this.#replay.begin();
  }

  /** Forgets the indexes that were not named. */
  endReplay(): void {
    for (const uid of this.#replay.end(this.#byUid.keys())) this.#byUid.delete(uid);
  }

  /**
   * `encoded` is `encodeManifest` text. An index that had another uid before is known by the new
   * one only.
   */
  publish(encoded: string): PublishedIndex {
    const manifest = JSON.parse(encoded) as IndexManifest;
    const { uid, id, generation } = manifest;
    const location = this.#locate(id);
    const published = { manifest, shared: toShared(encoded), key: `${id}:${generation}`, location };
    for (const [knownUid, known] of this.#byUid) {
      if (known.manifest.id === id && knownUid !== uid) this.#byUid.delete(knownUid);
    }
    this.#byUid.set(uid, published);
    this.#replay.name(uid);
    return published;
  }

  /** Nothing happens when the uid meanwhile names another index. */
  remove(uid: string, indexId: number): void {
    if (this.#byUid.get(uid)?.manifest.id !== indexId) return;
    this.#byUid.delete(uid);
  }
}
