/**
 * Start here: the indexes and their published states, in memory and in the key-value store. A
 * change is staged, written together with the rest of the commit, and then applied:
 *
 * const change = catalog.begin();  change.create(…);  await store.write([...change.operations(),
 * …]);  change.apply();
 *
 * Keys: ("index", index id) → manifest; ("meta", "nextIndexId") → number as text. Ids are never
 * reused.
 */

import { ApiError, indexNotFound } from '../core/errors.ts';
import {
  encodeManifest,
  fileNamesOf,
  type IndexManifest,
  ruleNamesOf,
  type StoredManifest,
  withDefaults,
} from '../model/index-manifest.ts';
import { readStored } from '../model/schemas/stored-schema.ts';
import { encodeKey, keyRange } from '../storage/database/key-encoding.ts';
import {
  del,
  type KeyValueReader,
  type KeyValueStore,
  put,
  type WriteOperation,
} from '../storage/database/key-value-store.ts';
import { droppedFiles, type ManifestChange, newManifest, segmentBytes } from './manifest.ts';

const NEXT_ID_KEY = encodeKey('meta', 'nextIndexId');
const indexKey = (id: number): Uint8Array => encodeKey('index', id);

export const indexExists = (uid: string): ApiError =>
  new ApiError('index_already_exists', `Index \`${uid}\` already exists.`);

const aliasExists = (name: string): ApiError =>
  new ApiError(
    'alias_already_exists',
    `\`${name}\` is an alias. Use another name for the index, or delete the alias first.`,
  );

/** Indexes that this process has read before. */
export interface KnownIndexes {
  readonly known: IndexCatalog;
  /** Ids. */
  readonly changed: readonly number[];
}

async function nextIdIn(store: KeyValueStore): Promise<number> {
  const stored = await store.get(NEXT_ID_KEY);
  return stored === null ? 0 : Number(new TextDecoder().decode(stored));
}

export class IndexCatalog {
  readonly #byId: Map<number, IndexManifest>;
  readonly #byUid: Map<string, IndexManifest>;
  #nextId: number;
  #fileBytes: number;
  #isReserved: (name: string) => boolean = () => false;

  private constructor(manifests: readonly IndexManifest[], nextId: number) {
    this.#byId = new Map(manifests.map((manifest) => [manifest.id, manifest]));
    this.#byUid = new Map(manifests.map((manifest) => [manifest.uid, manifest]));
    this.#nextId = nextId;
    this.#fileBytes = manifests.reduce((sum, manifest) => sum + segmentBytes(manifest), 0);
  }

  static async load(store: KeyValueStore): Promise<IndexCatalog> {
    const manifests: IndexManifest[] = [];
    for await (const { value } of store.iterate(keyRange('index')))
      manifests.push(withDefaults(readStored<StoredManifest>('index manifest', value)));
    return new IndexCatalog(manifests, await nextIdIn(store));
  }

  /**
   * As `load`, without reading all states.
   * @param known shows the states as stored, except `changed`
   */
  static async loadKnown(
    store: KeyValueStore,
    { known, changed }: KnownIndexes,
  ): Promise<IndexCatalog> {
    const read = async (id: number) => [id, await IndexCatalog.stored(store, id)] as const;
    const [nextId, states] = await Promise.all([nextIdIn(store), Promise.all(changed.map(read))]);
    const catalog = new IndexCatalog([...known.all()], nextId);
    catalog.applyCommitted(new Map(states));
    return catalog;
  }

  get(uid: string): IndexManifest | null {
    return this.#byUid.get(uid) ?? null;
  }

  byId(id: number): IndexManifest | null {
    return this.#byId.get(id) ?? null;
  }

  get indexCount(): number {
    return this.#byId.size;
  }

  /** Bytes of all files in the newest states. */
  get fileBytes(): number {
    return this.#fileBytes;
  }

  all(): Iterable<IndexManifest> {
    return this.#byId.values();
  }

  /** @param isReserved names that no index may get */
  reserve(isReserved: (name: string) => boolean): void {
    this.#isReserved = isReserved;
  }

  /** Staged changes that overlap in time must concern different indexes. */
  begin(): CatalogChange {
    return new CatalogChange(this, {
      takeId: () => this.#nextId++,
      nextId: () => this.#nextId,
      isReserved: (name) => this.#isReserved(name),
      adopt: (staged) => this.#adopt(staged),
    });
  }

  /** Stored state of an index, for processes that follow the writer; null if it is deleted. */
  static async stored(store: KeyValueReader, id: number): Promise<IndexManifest | null> {
    const value = await store.get(indexKey(id));
    return value && withDefaults(readStored<StoredManifest>('index manifest', value));
  }

  /** Applies states that another process has committed; null = deleted. */
  applyCommitted(states: ReadonlyMap<number, IndexManifest | null>): AppliedChange {
    const change = this.begin();
    for (const [id, manifest] of states) change.stageCommitted(id, manifest);
    return change.apply();
  }

  #adopt(staged: ReadonlyMap<number, IndexManifest | null>): void {
    for (const id of staged.keys()) {
      const before = this.#byId.get(id);
      if (before !== undefined) {
        this.#byUid.delete(before.uid);
        this.#fileBytes -= segmentBytes(before);
      }
      this.#byId.delete(id);
    }
    for (const [id, manifest] of staged) {
      if (manifest === null) continue;
      this.#byId.set(id, manifest);
      this.#byUid.set(manifest.uid, manifest);
      this.#fileBytes += segmentBytes(manifest);
    }
  }
}

/** The effects of a change, for writers and fronts. */
export interface AppliedChange {
  readonly published: readonly IndexManifest[];
  /** Uids that no longer name an index. */
  readonly removed: readonly { readonly uid: string; readonly indexId: number }[];
  /** Files that the new states do not name, with the first generation that does not need them. */
  readonly obsoleteFiles: readonly {
    readonly indexId: number;
    readonly name: string;
    readonly generation: number;
    readonly bytes: number;
  }[];
  /** Bytes of all files of each deleted index, by id. */
  readonly deletedBytes: ReadonlyMap<number, number>;
}

/** The parts of the catalog's state that a change uses. */
interface CatalogAccess {
  takeId(): number;
  /** Greater than every id taken so far. */
  nextId(): number;
  isReserved(name: string): boolean;
  adopt(staged: ReadonlyMap<number, IndexManifest | null>): void;
}

/**
 * A staged change of the catalog; its readers see the staged state. The generation of an index
 * grows by one per change, however often the index is changed.
 */
export class CatalogChange {
  readonly #catalog: IndexCatalog;
  readonly #access: CatalogAccess;
  readonly #staged = new Map<number, IndexManifest | null>();
  readonly #idOfUid = new Map<string, number | null>();
  #createsIndex = false;

  constructor(catalog: IndexCatalog, access: CatalogAccess) {
    this.#catalog = catalog;
    this.#access = access;
  }

  get(uid: string): IndexManifest | null {
    const id = this.#idOfUid.get(uid);
    if (id === undefined) return this.#catalog.get(uid);
    return id === null ? null : (this.#staged.get(id) ?? this.#catalog.byId(id));
  }

  /** Throws `index_not_found`. */
  must(uid: string): IndexManifest {
    const manifest = this.get(uid);
    if (manifest === null) throw indexNotFound(uid);
    return manifest;
  }

  /** Throws `index_already_exists`, `alias_already_exists`. */
  create(uid: string, primaryKey: string | null, nowText: string): IndexManifest {
    if (this.get(uid) !== null) throw indexExists(uid);
    if (this.#access.isReserved(uid)) throw aliasExists(uid);
    const manifest = newManifest(uid, this.#access.takeId(), primaryKey, nowText);
    this.#createsIndex = true;
    this.#stage(manifest);
    return manifest;
  }

  /**
   * A new index with the content of another; its folder must get the files. Throws as `create`.
   */
  branch(source: IndexManifest, uid: string, nowText: string): IndexManifest {
    const { settings, segments, batchEndDocIds, seenFieldPaths } = source;
    const created = this.create(uid, source.primaryKey, nowText);
    const branchOf = ruleNamesOf(source);
    const manifest = { ...created, settings, segments, batchEndDocIds, seenFieldPaths, branchOf };
    this.#stage(manifest);
    return manifest;
  }

  /**
   * Throws `index_not_found`, and `index_already_exists` if the new uid belongs to another index.
   */
  update(uid: string, change: ManifestChange): IndexManifest {
    const current = this.must(uid);
    const newUid = change.uid ?? uid;
    if (newUid !== uid && this.get(newUid) !== null) throw indexExists(newUid);
    if (newUid !== uid && this.#access.isReserved(newUid)) throw aliasExists(newUid);
    const before = this.#catalog.byId(current.id);
    const generation = before === null ? current.generation : before.generation + 1;
    const next: IndexManifest = { ...current, ...change, generation };
    if (newUid !== uid) this.#idOfUid.set(uid, null);
    this.#stage(next);
    return next;
  }

  /** Exchanges the contents of two indexes. Throws `index_not_found`. */
  swap(a: string, b: string, nowText: string): void {
    const [first, second] = [this.must(a), this.must(b)];
    this.#idOfUid.set(a, null);
    this.#idOfUid.set(b, null);
    for (const [manifest, uid] of [
      [first, b],
      [second, a],
    ] as const) {
      const generation =
        (this.#catalog.byId(manifest.id)?.generation ?? manifest.generation - 1) + 1;
      this.#stage({ ...manifest, uid, generation, updatedAt: nowText });
    }
  }

  /** Throws `index_not_found`. */
  delete(uid: string): void {
    const { id } = this.must(uid);
    this.#idOfUid.set(uid, null);
    this.#staged.set(id, null);
  }

  /** Stages a state that another process has committed. */
  stageCommitted(id: number, manifest: IndexManifest | null): void {
    if (manifest === null) this.#staged.set(id, null);
    else this.#stage(manifest);
  }

  /** Files that the staged states name and the current states do not. */
  addedFiles(): { readonly indexId: number; readonly name: string }[] {
    return [...this.#staged].flatMap(([indexId, manifest]) => {
      if (manifest === null) return [];
      const known = new Set(fileNamesOf(this.#catalog.byId(indexId)?.segments ?? []));
      const added = fileNamesOf(manifest.segments).filter((name) => !known.has(name));
      return added.map((name) => ({ indexId, name }));
    });
  }

  operations(): WriteOperation[] {
    const operations: WriteOperation[] = [];
    for (const [id, manifest] of this.#staged) {
      operations.push(
        manifest === null ? del(indexKey(id)) : put(indexKey(id), encodeManifest(manifest)),
      );
    }
    if (this.#createsIndex)
      operations.push(put(NEXT_ID_KEY, new TextEncoder().encode(String(this.#access.nextId()))));
    return operations;
  }

  /** Makes the change visible after its operations are written. */
  apply(): AppliedChange {
    const before = new Map([...this.#staged.keys()].map((id) => [id, this.#catalog.byId(id)]));
    this.#access.adopt(this.#staged);
    const published: IndexManifest[] = [];
    const removed: { uid: string; indexId: number }[] = [];
    const obsoleteFiles: AppliedChange['obsoleteFiles'][number][] = [];
    const deletedBytes = new Map<number, number>();
    for (const [indexId, manifest] of this.#staged) {
      const old = before.get(indexId) ?? null;
      if (old !== null && this.#catalog.get(old.uid) === null)
        removed.push({ uid: old.uid, indexId });
      if (manifest === null) {
        if (old !== null) deletedBytes.set(indexId, segmentBytes(old));
        continue;
      }
      published.push(manifest);
      if (old === null) continue;
      const { generation } = manifest;
      for (const { name, bytes } of droppedFiles(old, manifest))
        obsoleteFiles.push({ indexId, name, generation, bytes });
    }
    return { published, removed, obsoleteFiles, deletedBytes };
  }

  #stage(manifest: IndexManifest): void {
    this.#staged.set(manifest.id, manifest);
    this.#idOfUid.set(manifest.uid, manifest.id);
  }
}
