/**
 * The state of an instance in a process that does not write it: read once, then kept current from
 * the change log. A change is applied in the order in which a client must see it: first the fronts
 * get the new generations, whose files are here by then, and then its tasks show as finished.
 */

import { AliasStore } from '../catalog/alias-store.ts';
import { ChatStore } from '../catalog/chat-store.ts';
import { FeatureSwitches } from '../catalog/feature-switches.ts';
import { type AppliedChange, IndexCatalog } from '../catalog/index-catalog.ts';
import { NetworkStore } from '../catalog/network-store.ts';
import { SearchRuleStore } from '../catalog/search-rule-store.ts';
import type { IndexerEvents } from '../ipc/connection/indexer-protocol.ts';
import type { ApiKey } from '../model/api-key.ts';
import type { Features } from '../model/features.ts';
import { encodeManifest, type IndexManifest } from '../model/index-manifest.ts';
import { readStored } from '../model/schemas/stored-schema.ts';
import type { SearchRule } from '../model/search-rule.ts';
import { changesAfter, lastPosition, type StateChanges } from '../storage/database/change-log.ts';
import { keyRange } from '../storage/database/key-encoding.ts';
import type { KeyValueStore } from '../storage/database/key-value-store.ts';
import { TaskStore } from '../tasks/store/task-store.ts';
import { readWriterNote, type WriterNote } from './writer-note.ts';

export interface ReplicaOptions {
  readonly store: KeyValueStore;
  /** Experimental features that launch options enable. */
  readonly forced: readonly (keyof Features)[];
  readonly publish: <K extends keyof IndexerEvents>(name: K, data: IndexerEvents[K]) => void;
  /** Resolves when the folder has all files of the states. */
  readonly fetchFiles: (manifests: readonly IndexManifest[]) => Promise<void>;
  readonly onApplied: (change: AppliedChange) => void;
  /** Rows of these tasks have changed. */
  readonly onTasks: (uids: readonly number[]) => void;
  readonly onWriter: (note: WriterNote) => void;
}

/** Parts that are read again as a whole when one of them has changed. */
interface SmallParts {
  features: Features;
  network: NetworkStore['current'];
  aliases: AliasStore['all'];
  chats: ReturnType<ChatStore['all']>;
  keys: ReadonlyMap<string, ApiKey>;
  rules: ReadonlyMap<string, SearchRule>;
}

const decoder = new TextDecoder();

export class ReplicaState {
  readonly #options: ReplicaOptions;
  readonly catalog: IndexCatalog;
  readonly tasks: TaskStore;
  readonly #parts: SmallParts;
  #writer: WriterNote;
  /** Of the last change that is applied. */
  #position: number;

  private constructor(
    options: ReplicaOptions,
    loaded: { catalog: IndexCatalog; tasks: TaskStore; parts: SmallParts; writer: WriterNote },
    position: number,
  ) {
    this.#options = options;
    this.catalog = loaded.catalog;
    this.tasks = loaded.tasks;
    this.#parts = loaded.parts;
    this.#writer = loaded.writer;
    this.#position = position;
  }

  /** Reads everything, and fetches the files of all indexes. @param writer as stored */
  static async load(options: ReplicaOptions, writer: WriterNote): Promise<ReplicaState> {
    const { store } = options;
    // Before the rest: what changes meanwhile is read again.
    const position = await lastPosition(store);
    const loaded = {
      // Tasks before indexes, which are then never older than a task that shows as finished.
      tasks: await TaskStore.open(store, new Map()),
      catalog: await IndexCatalog.load(store),
      parts: {
        features: await readFeatures(options),
        network: await readNetwork(store),
        aliases: (await AliasStore.load(store)).all,
        chats: await readChats(store),
        keys: await readKeys(store),
        rules: await readRules(store),
      },
      writer,
    };
    await options.fetchFiles([...loaded.catalog.all()]);
    return new ReplicaState(options, loaded, position);
  }

  get features(): Features {
    return this.#parts.features;
  }

  get network(): SmallParts['network'] {
    return this.#parts.network;
  }

  get aliases(): SmallParts['aliases'] {
    return this.#parts.aliases;
  }

  get chats(): SmallParts['chats'] {
    return this.#parts.chats;
  }

  get keys(): Iterable<ApiKey> {
    return this.#parts.keys.values();
  }

  get searchRules(): Iterable<SearchRule> {
    return this.#parts.rules.values();
  }

  get writer(): WriterNote {
    return this.#writer;
  }

  get position(): number {
    return this.#position;
  }

  /** `encodeManifest` text of every index. */
  manifests(): string[] {
    return [...this.catalog.all()].map((manifest) => decoder.decode(encodeManifest(manifest)));
  }

  /**
   * Applies what was committed since the last call. After a rejection the next call applies the same
   * changes again, together with later ones.
   * @returns changed: something was committed; behind: the log has no longer all changes, so the
   * state must be loaded again
   */
  async follow(): Promise<'unchanged' | 'changed' | 'behind'> {
    const { store } = this.#options;
    let changes = await changesAfter(store, this.#position);
    for (;;) {
      if (changes === null) return 'behind';
      if (changes.position === this.#position) return 'unchanged';
      const rows = await this.tasks.storedRows(changes.row);
      // Rows of a later commit would show tasks as finished whose indexes are not in these changes.
      const now = await changesAfter(store, this.#position);
      if (now?.position === changes.position) {
        await this.#apply(changes, rows);
        this.#position = changes.position;
        return 'changed';
      }
      changes = now;
    }
  }

  async #apply(
    changes: StateChanges,
    rows: Awaited<ReturnType<TaskStore['storedRows']>>,
  ): Promise<void> {
    const { store, onTasks } = this.#options;
    await this.#applyIndexes(changes.index);
    for (const kind of changes.kinds) await this.#applyKind(kind);
    this.tasks.applyCommitted(rows);
    onTasks(changes.row);
    if (!changes.kinds.includes('meta writer')) return;
    this.#writer = (await readWriterNote(store)) ?? this.#writer;
    this.#options.onWriter(this.#writer);
  }

  async #applyIndexes(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    const { store, publish, fetchFiles, onApplied } = this.#options;
    const states = new Map<number, IndexManifest | null>();
    for (const id of ids) states.set(id, await IndexCatalog.stored(store, id));
    await fetchFiles([...states.values()].filter((state) => state !== null));
    const applied = this.catalog.applyCommitted(states);
    for (const manifest of applied.published) {
      publish('indexPublished', { manifest: decoder.decode(encodeManifest(manifest)) });
      publish('indexChecked', { indexId: manifest.id, damage: [] });
    }
    for (const removed of applied.removed) publish('indexRemoved', removed);
    onApplied(applied);
  }

  async #applyKind(kind: string): Promise<void> {
    const { store, publish } = this.#options;
    const parts = this.#parts;
    if (kind === 'meta features') {
      parts.features = await readFeatures(this.#options);
      publish('featuresChanged', parts.features);
    } else if (kind === 'meta network') {
      parts.network = await readNetwork(store);
      publish('networkChanged', parts.network);
    } else if (kind === 'meta aliases') {
      parts.aliases = (await AliasStore.load(store)).all;
      publish('aliasesChanged', parts.aliases);
    } else if (kind === 'chat') {
      parts.chats = await readChats(store);
      publish('chatsChanged', parts.chats);
    } else if (kind === 'key') await this.#applyKeys();
    else if (kind === 'searchRule') await this.#applyRules();
  }

  async #applyKeys(): Promise<void> {
    const { store, publish } = this.#options;
    const before = this.#parts.keys;
    const keys = await readKeys(store);
    this.#parts.keys = keys;
    for (const uid of before.keys()) if (!keys.has(uid)) publish('keyRemoved', { uid });
    for (const key of keys.values()) publish('keyPublished', key);
  }

  async #applyRules(): Promise<void> {
    const { store, publish } = this.#options;
    const before = this.#parts.rules;
    const rules = await readRules(store);
    this.#parts.rules = rules;
    const uids = [...before.keys()].filter((uid) => !rules.has(uid));
    if (uids.length > 0) publish('searchRulesRemoved', { uids });
    for (const rule of rules.values()) publish('searchRulePublished', rule);
  }
}

const readFeatures = async ({ store, forced }: ReplicaOptions): Promise<Features> =>
  (await FeatureSwitches.load(store, forced)).current;

const readNetwork = async (store: KeyValueStore) =>
  (await NetworkStore.load(store, () => '')).current;

const readChats = async (store: KeyValueStore) => (await ChatStore.load(store)).all();

const readRules = async (store: KeyValueStore): Promise<ReadonlyMap<string, SearchRule>> =>
  new Map([...(await SearchRuleStore.load(store)).all()].map((rule) => [rule.uid, rule]));

async function readKeys(store: KeyValueStore): Promise<ReadonlyMap<string, ApiKey>> {
  const keys = new Map<string, ApiKey>();
  for await (const { value } of store.iterate(keyRange('key'))) {
    const key = readStored<ApiKey>('API key', value);
    keys.set(key.uid, key);
  }
  return keys;
}
