/**
 * Pure: what a node that reads may show of the commits of the node that writes. Indexes whose files
 * are being fetched hold up only themselves and what was committed together with them:
 *
 * - a task shows as finished after the states of all indexes that were committed with it;
 * - indexes that one commit changes, and indexes that take over a uid of another one, are shown
 *   together.
 */
import type { LoggedChange } from '../storage/database/change-log.ts';

/** Indexes that are shown together. */
export type IndexGroup = readonly number[];

const ascending = (numbers: Iterable<number>): number[] => [...numbers].sort((a, b) => a - b);

export class ApplyOrder {
  /** Of the last change that was added. */
  #position: number;
  /** Changes of indexes that are not shown yet, by ascending position. */
  #pending: LoggedChange[] = [];
  /** Position of the shown state of an index that has pending changes. */
  readonly #shownAt = new Map<number, number>();
  /** Rows of shown changes; a pending change may hold them up. */
  readonly #rows = new Set<number>();
  readonly #kinds = new Set<string>();
  /** Indexes whose files are being fetched, with the uid of the state that they will show. */
  readonly #fetching = new Map<number, string | null>();

  /** @param position of the state that the node shows */
  constructor(position: number) {
    this.#position = position;
  }

  get position(): number {
    return this.#position;
  }

  /** All changes up to here are shown, except rows that wait for a later one. */
  get shownPosition(): number {
    const [first] = this.#pending;
    return first === undefined ? this.#position : first.position - 1;
  }

  get hasWork(): boolean {
    if (this.#pending.length === 0) return this.#kinds.size > 0 || this.#rows.size > 0;
    return this.#kinds.size > 0 || this.wanted().length > 0 || this.rowsAfter([]).shown.length > 0;
  }

  /** Indexes and rows whose newest states may not be shown. Each ascending. */
  get unshown(): { readonly indexes: readonly number[]; readonly rows: readonly number[] } {
    const indexes = new Set(this.#pending.flatMap(({ index }) => index));
    const { shown, held } = this.rowsAfter([]);
    return { indexes: ascending(indexes), rows: ascending(new Set([...shown, ...held])) };
  }

  /** Kinds of keys to read again. */
  get kinds(): readonly string[] {
    return [...this.#kinds];
  }

  kindShown(kind: string): void {
    this.#kinds.delete(kind);
  }

  /** @param changes the next ones of the log */
  add(changes: readonly LoggedChange[]): void {
    for (const change of changes) {
      this.#position = change.position;
      for (const kind of change.kinds) this.#kinds.add(kind);
      if (change.index.length > 0) this.#pending.push(change);
      else for (const uid of change.row) this.#rows.add(uid);
    }
  }

  /** Indexes whose newest state must be read. */
  wanted(): number[] {
    const ids = new Set<number>();
    for (const { position, index } of this.#pending)
      for (const id of index)
        if (!this.#fetching.has(id) && !this.#isShown(id, position)) ids.add(id);
    return [...ids];
  }

  /**
   * @param uids uid of the newest state of each wanted index; null = deleted
   * @param holderOf index that is shown under a uid; null = none
   * @returns groups that wait for no fetch under way
   */
  groups(
    uids: ReadonlyMap<number, string | null>,
    holderOf: (uid: string) => number | null,
  ): IndexGroup[] {
    const groupOf = new Map<number, Set<number>>();
    for (const id of [...uids.keys(), ...this.#fetching.keys()]) groupOf.set(id, new Set([id]));
    const link = (a: number, b: number): void => {
      const [first, second] = [groupOf.get(a), groupOf.get(b)];
      if (first === undefined || second === undefined || first === second) return;
      for (const id of second) groupOf.set(id, first.add(id));
    };
    for (const { index } of this.#pending) for (const id of index) link(index[0] as number, id);
    const next = new Map<string, number>();
    for (const [id, uid] of [...uids, ...this.#fetching]) {
      if (uid === null) continue;
      link(id, next.get(uid) ?? id);
      link(id, holderOf(uid) ?? id);
      next.set(uid, id);
    }
    const isFree = (ids: Set<number>) => ![...ids].some((id) => this.#fetching.has(id));
    return [...new Set(groupOf.values())].filter(isFree).map((ids) => [...ids]);
  }

  /**
   * Rows that may be shown with these groups, and rows that wait for others. Each ascending.
   */
  rowsAfter(groups: readonly IndexGroup[]): {
    readonly shown: readonly number[];
    readonly held: readonly number[];
  } {
    const ids = new Set(groups.flat());
    const rows = new Set(this.#rows);
    const held = new Set<number>();
    for (const { position, index, row } of this.#pending) {
      const isShown = index.every((id) => ids.has(id) || this.#isShown(id, position));
      for (const uid of row) (isShown ? rows : held).add(uid);
    }
    return {
      shown: ascending(rows).filter((uid) => !held.has(uid)),
      held: ascending(held),
    };
  }

  /** Files of the group are being fetched. @param uids of the states that are fetched */
  fetching(group: IndexGroup, uids: ReadonlyMap<number, string | null>): void {
    for (const id of group) this.#fetching.set(id, uids.get(id) ?? null);
  }

  /** The fetch failed: the newest states must be read again. */
  failed(group: IndexGroup): void {
    for (const id of group) this.#fetching.delete(id);
  }

  /** The node shows the group. @param position at which its states were read */
  shown(group: IndexGroup, position: number): void {
    for (const id of group) {
      this.#fetching.delete(id);
      this.#shownAt.set(id, position);
    }
    const rest: LoggedChange[] = [];
    for (const change of this.#pending) {
      if (!change.index.every((id) => this.#isShown(id, change.position))) rest.push(change);
      else for (const uid of change.row) this.#rows.add(uid);
    }
    this.#pending = rest;
    const named = new Set(rest.flatMap(({ index }) => index));
    for (const id of this.#shownAt.keys()) if (!named.has(id)) this.#shownAt.delete(id);
  }

  rowsShown(uids: Iterable<number>): void {
    for (const uid of uids) this.#rows.delete(uid);
  }

  #isShown(id: number, position: number): boolean {
    return (this.#shownAt.get(id) ?? -1) >= position;
  }
}
