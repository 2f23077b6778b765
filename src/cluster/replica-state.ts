/**
 * The state of an instance in a process that does not write it: read once, then kept current from
 * the change log (`apply-order.ts` decides what may be shown). First the fronts get the new
 * generations, whose files are here by then, and then their tasks show as finished.
 */

import { AliasStore } from '../catalog/alias-store.ts';
import { ChatStore } from '../catalog/chat-store.ts';
import { FeatureSwitches } from '../catalog/feature-switches.ts';
import { type AppliedChange, IndexCatalog } from '../catalog/index-catalog.ts';
import { SearchRuleStore } from '../catalog/search-rule-store.ts';
import { loadNetwork } from '../catalog/stored-value.ts';
import type { IndexerEvents } from '../ipc/connection/indexer-protocol.ts';
import type { ApiKey } from '../model/api-key.ts';
import type { Features } from '../model/features.ts';
import { type IndexManifest, manifestText } from '../model/index-manifest.ts';
import type { InstanceState } from '../model/instance-state.ts';
import { readStored } from '../model/schemas/stored-schema.ts';
import type { SearchRule } from '../model/search-rule.ts';
import { changesAfter, type LoggedChange, lastPosition } from '../storage/database/change-log.ts';
import { keyRange } from '../storage/database/key-encoding.ts';
import type { KeyValueStore } from '../storage/database/key-value-store.ts';
import { checkedIndex } from '../tasks/cold-indexes.ts';
import type { KnownState } from '../tasks/indexer-parts.ts';
import { TaskStore } from '../tasks/store/task-store.ts';
import type { TaskRow } from '../tasks/store/task-table.ts';
import { ApplyOrder, type IndexGroup } from './apply-order.ts';
import { readWriterNote, type WriterNote } from './writer-note.ts';

export interface ReplicaOptions {
  readonly store: KeyValueStore;
  /** Experimental features that launch options enable. */
  readonly forced: readonly (keyof Features)[];
  readonly publish: <K extends keyof IndexerEvents>(name: K, data: IndexerEvents[K]) => void;
  /** The folder has all files of the states. */
  readonly areFilesHere: (manifests: readonly IndexManifest[]) => boolean;
  /** Resolves when the folder has all files of the states. */
  readonly fetchFiles: (manifests: readonly IndexManifest[]) => Promise<void>;
  /** A fetch that `follow` began has ended; the next call shows its result. */
  readonly onFetched: (failure: Error | null) => void;
  /** False: the files of the index are fetched by its first request. */
  readonly isLocal: (indexId: number) => boolean;
  readonly onApplied: (change: AppliedChange) => void;
  /** Rows of these tasks have changed. */
  readonly onTasks: (uids: readonly number[]) => void;
  readonly onWriter: (note: WriterNote) => void;
}

/** Parts that are read again as a whole when one of them has changed. */
interface SmallParts {
  instance: InstanceState;
  keys: ReadonlyMap<string, ApiKey>;
  rules: ReadonlyMap<string, SearchRule>;
}

/** Indexes that are shown together, with their states at a position of the log; null = deleted. */
interface StoredGroup {
  readonly ids: IndexGroup;
  readonly states: ReadonlyMap<number, IndexManifest | null>;
  readonly manifests: readonly IndexManifest[];
  readonly position: number;
}

const waiting = (row: TaskRow): TaskRow => ({
  ...row,
  status: 'enqueued',
  batchUid: null,
  canceledBy: null,
  startedAt: null,
  finishedAt: null,
});

export class ReplicaState {
  readonly #options: ReplicaOptions;
  readonly catalog: IndexCatalog;
  readonly tasks: TaskStore;
  readonly parts: SmallParts;
  readonly #order: ApplyOrder;
  /** Groups whose files have been fetched. */
  readonly #fetched: StoredGroup[] = [];
  #writer: WriterNote;

  private constructor(
    options: ReplicaOptions,
    loaded: { catalog: IndexCatalog; tasks: TaskStore; parts: SmallParts; writer: WriterNote },
    position: number,
  ) {
    this.#options = options;
    this.catalog = loaded.catalog;
    this.tasks = loaded.tasks;
    this.parts = loaded.parts;
    this.#writer = loaded.writer;
    this.#order = new ApplyOrder(position);
  }

  /** Reads everything, and fetches the files of all indexes. @param writer as stored */
  static async load(options: ReplicaOptions, writer: WriterNote): Promise<ReplicaState> {
    const { store } = options;
    // Before the rest: what changes meanwhile is read again.
    const position = await lastPosition(store);
    // Together: an object store takes as long for one read as for all.
    const [tables, instance, keys, rules] = await Promise.all([
      readTables(store),
      readInstance(options),
      readKeys(store),
      readRules(store),
    ]);
    const loaded = { ...tables, parts: { instance, keys, rules }, writer };
    await options.fetchFiles([...loaded.catalog.all()]);
    return new ReplicaState(options, loaded, position);
  }

  get writer(): WriterNote {
    return this.#writer;
  }

  /** Of the last commit that was read; files of its indexes may be missing. */
  get position(): number {
    return this.#order.position;
  }

  /** Of the last commit that is served, as all before it. */
  get servedPosition(): number {
    return this.#order.shownPosition;
  }

  /**
   * What a process need not read again when it opens the database for writing; null if the log has no
   * longer all changes. `follow` must not run, and must not be called after that.
   * @param changes all after `position`
   */
  handOver(changes: readonly LoggedChange[] | null): KnownState | null {
    if (changes === null) return null;
    this.#order.add(changes);
    const { indexes, rows } = this.#order.unshown;
    return {
      tasks: { known: this.tasks, changed: rows },
      indexes: { known: this.catalog, changed: indexes },
    };
  }

  /**
   * Shows what was committed since the last call, and begins to fetch missing files. After a rejection
   * the next call continues.
   * @returns changed: something was committed; behind: the log has no longer all changes, so the
   * state must be loaded again
   */
  async follow(): Promise<'unchanged' | 'changed' | 'behind'> {
    const { store } = this.#options;
    const order = this.#order;
    for (const group of this.#fetched.splice(0)) this.#show(group);
    const before = order.position;
    for (;;) {
      const changes = await changesAfter(store, order.position);
      if (changes === null) return 'behind';
      order.add(changes);
      if (!order.hasWork || (await this.#showNext()))
        return order.position === before ? 'unchanged' : 'changed';
    }
  }

  /** False if something was committed meanwhile, and nothing is shown. */
  async #showNext(): Promise<boolean> {
    const order = this.#order;
    const groups = await this.#readGroups();
    const ready = groups.filter(({ manifests }) => this.#options.areFilesHere(manifests));
    const uids = order.rowsAfter(ready.map(({ ids }) => ids));
    const rows = await this.#readRows(uids);
    // States and rows are those of one position only if nothing was committed meanwhile.
    if ((await lastPosition(this.#options.store)) !== order.position) return false;
    for (const group of groups)
      if (ready.includes(group)) this.#show(group);
      else void this.#fetch(group);
    await this.#applyKinds();
    this.tasks.applyCommitted(rows);
    order.rowsShown(uids.shown);
    this.#options.onTasks([...rows.keys()]);
    return true;
  }

  /** A new task that waits for files shows as enqueued: rows are added in the order of their uids. */
  async #readRows({
    shown,
    held,
  }: ReturnType<ApplyOrder['rowsAfter']>): Promise<ReadonlyMap<number, TaskRow | null>> {
    const added = held.filter((uid) => this.tasks.row(uid) === null);
    const rows = await this.tasks.storedRows([...shown, ...added].sort((a, b) => a - b));
    const isHeld = new Set(added);
    return new Map(
      [...rows].map(([uid, row]) => [uid, row && isHeld.has(uid) ? waiting(row) : row]),
    );
  }

  /** Newest states of the indexes that are not shown, apart from those that wait for a fetch. */
  async #readGroups(): Promise<StoredGroup[]> {
    const states = new Map<number, IndexManifest | null>();
    for (const id of this.#order.wanted())
      states.set(id, await IndexCatalog.stored(this.#options.store, id));
    const uids = new Map([...states].map(([id, state]) => [id, state?.uid ?? null]));
    const groups = this.#order.groups(uids, (uid) => this.catalog.get(uid)?.id ?? null);
    return groups.map((ids) => {
      const ofGroup = new Map(ids.map((id) => [id, states.get(id) ?? null]));
      const manifests = [...ofGroup.values()].filter((state) => state !== null);
      return { ids, states: ofGroup, manifests, position: this.#order.position };
    });
  }

  async #fetch(group: StoredGroup): Promise<void> {
    const { fetchFiles, onFetched } = this.#options;
    const { ids, states, manifests } = group;
    this.#order.fetching(ids, new Map([...states].map(([id, state]) => [id, state?.uid ?? null])));
    try {
      await fetchFiles(manifests);
      this.#fetched.push(group);
      onFetched(null);
    } catch (error) {
      this.#order.failed(ids);
      onFetched(error as Error);
    }
  }

  #show({ ids, states, position }: StoredGroup): void {
    const { publish, onApplied, isLocal } = this.#options;
    const applied = this.catalog.applyCommitted(states);
    for (const manifest of applied.published) {
      publish('indexPublished', { manifest: manifestText(manifest) });
      publish('indexChecked', checkedIndex(manifest.id, isLocal(manifest.id)));
    }
    for (const removed of applied.removed) publish('indexRemoved', removed);
    onApplied(applied);
    this.#order.shown(ids, position);
  }

  async #applyKinds(): Promise<void> {
    for (const kind of this.#order.kinds) {
      await this.#applyKind(kind);
      this.#order.kindShown(kind);
    }
  }

  async #applyKind(kind: string): Promise<void> {
    const { store } = this.#options;
    if (INSTANCE_KINDS.has(kind)) await this.#applyInstance();
    else if (kind === 'key') await this.#applyKeys();
    else if (kind === 'searchRule') await this.#applyRules();
    else if (kind === 'meta writer') {
      this.#writer = (await readWriterNote(store)) ?? this.#writer;
      this.#options.onWriter(this.#writer);
    }
  }

  async #applyInstance(): Promise<void> {
    this.parts.instance = await readInstance(this.#options);
    this.#options.publish('stateChanged', this.parts.instance);
  }

  async #applyKeys(): Promise<void> {
    const { store, publish } = this.#options;
    const before = this.parts.keys;
    const keys = await readKeys(store);
    this.parts.keys = keys;
    for (const uid of before.keys()) if (!keys.has(uid)) publish('keyRemoved', { uid });
    for (const key of keys.values()) publish('keyPublished', key);
  }

  async #applyRules(): Promise<void> {
    const { store, publish } = this.#options;
    const before = this.parts.rules;
    const rules = await readRules(store);
    this.parts.rules = rules;
    const uids = [...before.keys()].filter((uid) => !rules.has(uid));
    if (uids.length > 0) publish('searchRulesRemoved', { uids });
    for (const rule of rules.values()) publish('searchRulePublished', rule);
  }
}

/** Kinds of changes of the instance's small state. */
const INSTANCE_KINDS: ReadonlySet<string> = new Set([
  'meta features',
  'meta network',
  'meta aliases',
  'chat',
]);

/** Tasks before indexes, which are then never older than a task that shows as finished. */
const readTables = async (
  store: KeyValueStore,
): Promise<{ readonly tasks: TaskStore; readonly catalog: IndexCatalog }> => ({
  tasks: await TaskStore.open(store, new Map()),
  catalog: await IndexCatalog.load(store),
});

async function readInstance({ store, forced }: ReplicaOptions): Promise<InstanceState> {
  const [features, network, aliases, chats] = await Promise.all([
    FeatureSwitches.load(store, forced),
    loadNetwork(store),
    AliasStore.load(store),
    ChatStore.load(store),
  ]);
  return {
    features: features.current,
    network: network.current,
    aliases: aliases.all,
    chats: chats.all(),
  };
}

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
