/** What a node shows that follows the one that writes; `ApplyOrder` decides. */
import { ApplyOrder, type IndexGroup } from '../../../src/cluster/apply-order.ts';
import type { SimulatedNode } from './simulated-node.ts';
import type { SimulatedIndex, SimulatedRow } from './simulated-store.ts';

type States = ReadonlyMap<number, SimulatedIndex | null>;

export class SimulatedReader {
  readonly #node: SimulatedNode;
  readonly order: ApplyOrder;
  readonly #rows: Map<number, SimulatedRow>;
  readonly #indexes: Map<number, SimulatedIndex>;
  #fetched: { group: IndexGroup; states: States; position: number }[] = [];

  constructor(node: SimulatedNode) {
    const { store } = node;
    this.#node = node;
    this.order = new ApplyOrder(store.position);
    this.#rows = new Map(store.rows);
    this.#indexes = new Map(store.indexes);
  }

  /** True if something was committed since the last call. */
  look(): boolean {
    const { store, world } = this.#node;
    const { order } = this;
    for (const { group, states, position } of this.#fetched.splice(0))
      this.#show(group, states, position);
    const changes = store.changes.slice(order.position + 1);
    order.add(changes);
    if (!order.hasWork) return changes.length > 0;
    const states = new Map(order.wanted().map((id) => [id, store.indexes.get(id) ?? null]));
    const ready: IndexGroup[] = [];
    for (const group of order.groups(uidsOf(states), (uid) => this.#holderOf(uid)))
      if (world.chance(0.5)) ready.push(group);
      else this.#fetch(group, states);
    const rows = order.rowsAfter(ready);
    for (const group of ready) this.#show(group, states, order.position);
    for (const kind of order.kinds) order.kindShown(kind);
    for (const uid of rows.held) {
      const row = store.rows.get(uid)!;
      if (!this.#rows.has(uid)) this.#rows.set(uid, { ...row, status: 'enqueued', results: [] });
    }
    for (const uid of rows.shown) this.#rows.set(uid, store.rows.get(uid)!);
    order.rowsShown(rows.shown);
    for (const uid of rows.shown) this.#checkResult(uid);
    this.#checkNames();
    return changes.length > 0;
  }

  /** Shows everything that the store has. */
  get isCurrent(): boolean {
    const { store } = this.#node;
    return (
      this.order.position === store.position &&
      this.order.shownPosition === store.position &&
      sameEntries(this.#rows, store.rows, (a, b) => a.status === b.status) &&
      sameEntries(
        this.#indexes,
        store.indexes,
        (a, b) => a.uid === b.uid && a.generation === b.generation,
      )
    );
  }

  #fetch(group: IndexGroup, states: States): void {
    const { world } = this.#node;
    const { position } = this.order;
    this.order.fetching(group, uidsOf(states));
    this.#node.after(world.between(50, 4000), () => {
      if (world.chance(0.2)) this.order.failed(group);
      else this.#fetched.push({ group, states, position });
    });
  }

  #show(group: IndexGroup, states: States, position: number): void {
    for (const id of group) this.#indexes.delete(id);
    for (const id of group) {
      const state = states.get(id) ?? null;
      if (state !== null) this.#indexes.set(id, state);
    }
    this.order.shown(group, position);
    this.#checkNames();
  }

  #holderOf(uid: string): number | null {
    for (const [id, state] of this.#indexes) if (state.uid === uid) return id;
    return null;
  }

  #checkResult(uid: number): void {
    for (const [id, generation] of this.#rows.get(uid)?.results ?? []) {
      const shown = this.#indexes.get(id);
      const isDeleted = shown === undefined && !this.#node.store.indexes.has(id);
      if (!isDeleted && (shown === undefined || shown.generation < generation))
        this.#node.world.violate(`task ${uid} shows as finished before its result`);
    }
  }

  #checkNames(): void {
    const uids = [...this.#indexes.values()].map(({ uid }) => uid);
    if (new Set(uids).size < uids.length)
      this.#node.world.violate('two indexes are shown under one uid');
  }
}

const uidsOf = (states: States) =>
  new Map([...states].map(([id, state]) => [id, state?.uid ?? null]));

function sameEntries<V>(
  a: ReadonlyMap<number, V>,
  b: ReadonlyMap<number, V>,
  isSame: (a: V, b: V) => boolean,
): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) {
    const other = b.get(key);
    if (other === undefined || !isSame(value, other)) return false;
  }
  return true;
}
