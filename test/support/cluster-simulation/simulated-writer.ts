/** The database in a node that writes: one object of the log after the other, tasks and batches. */
import { WriteGuard } from '../../../src/storage/database/write-guard.ts';
import type { SimulatedNode } from './simulated-node.ts';
import {
  LOG_AGE_MS,
  type SimulatedChange,
  type SimulatedIndex,
  type SimulatedRow,
} from './simulated-store.ts';

interface QueuedChange {
  readonly change: SimulatedChange;
  readonly onDurable: () => void;
}

const BEAT_MS = 750;
const BATCH_TASKS_MAX = 4;
const INDEXES_MAX = 3;

export class SimulatedWriter {
  readonly #node: SimulatedNode;
  readonly #guard: WriteGuard;
  readonly #indexes: Map<number, SimulatedIndex>;
  readonly #pending: SimulatedRow[];
  #nextUid: number;
  #nextPosition: number;
  #nextIndexId: number;
  #logId: number;
  #queue: QueuedChange[] = [];
  #isWriting = false;
  #isProcessing = false;
  #beat = 0;
  /** The store names this node. */
  isServing = false;

  /** Stops every older writer. @param openedMs when the opening began */
  constructor(node: SimulatedNode, openedMs: number) {
    const { store, loop, world } = node;
    const at = { monotonicMs: openedMs, wallMs: openedMs };
    this.#node = node;
    this.#guard = new WriteGuard(world.options.isGuarded ? LOG_AGE_MS / 2 : Infinity, at);
    this.#logId = store.nextId + 1;
    store.create(store.nextId, [], loop.nowMs);
    this.#indexes = new Map(store.indexes);
    const rows = [...store.rows.values()];
    this.#pending = rows.filter(({ status }) => status === 'enqueued');
    this.#nextUid = rows.reduce((next, { uid }) => Math.max(next, uid + 1), 0);
    this.#nextPosition = store.position + 1;
    this.#nextIndexId = 1 + store.changes.reduce((last, { index }) => Math.max(last, ...index), 0);
    node.after(world.between(50, 1300), () =>
      this.#note(false, () => {
        this.isServing = true;
        this.#beatLater();
        this.#process();
      }),
    );
  }

  /** @param onAcknowledged gets the uid of the task */
  enqueue(request: number, onAcknowledged: (uid: number) => void): void {
    const row: SimulatedRow = {
      uid: this.#nextUid++,
      request,
      status: 'enqueued',
      results: [],
    };
    this.#write({ rows: [row] }, () => {
      this.#pending.push(row);
      onAcknowledged(row.uid);
      this.#process();
    });
  }

  stop(onStopped: () => void): void {
    this.isServing = false;
    this.#note(true, onStopped);
  }

  #beatLater(): void {
    this.#node.after(BEAT_MS, () => {
      if (this.isServing) this.#note(false, () => this.#beatLater());
    });
  }

  #note(hasStopped: boolean, onDurable: () => void): void {
    const { id } = this.#node;
    const note = { nodeId: id, url: id, beat: this.#beat++, hasStopped };
    this.#write({ note, kinds: ['meta writer'] }, onDurable);
  }

  /** Ends some tasks, with new states of one or two indexes. */
  #process(): void {
    if (this.#isProcessing || this.#pending.length === 0) return;
    this.#isProcessing = true;
    const { world } = this.#node;
    this.#node.after(world.between(50, 1200), () => {
      const tasks = this.#pending.slice(0, 1 + world.below(BATCH_TASKS_MAX));
      const states = world.chance(0.1) ? [] : this.#newStates();
      const results = states.flatMap(([id, state]) =>
        state ? [[id, state.generation] as const] : [],
      );
      const rows = tasks.map((row) => ({ ...row, status: 'succeeded' as const, results }));
      this.#write({ rows, states, index: states.map(([id]) => id) }, () => {
        this.#pending.splice(0, tasks.length);
        for (const [id, state] of states) {
          if (state === null) this.#indexes.delete(id);
          else this.#indexes.set(id, state);
        }
        this.#isProcessing = false;
        this.#process();
      });
    });
  }

  #newStates(): (readonly [number, SimulatedIndex | null])[] {
    const { world } = this.#node;
    const ids = [...this.#indexes.keys()];
    const next = (id: number, uid = this.#state(id).uid) =>
      [id, { uid, generation: this.#state(id).generation + 1 }] as const;
    const free = ['a', 'b', 'c'].find((uid) =>
      [...this.#indexes.values()].every((state) => state.uid !== uid),
    );
    const [first, second] = [world.pick(ids), world.pick(ids)];
    if (
      first === undefined ||
      (free !== undefined && ids.length < INDEXES_MAX && world.chance(0.4))
    )
      return [[this.#nextIndexId++, { uid: free ?? 'a', generation: 1 }]];
    if (world.chance(0.15)) return [[first, null]];
    if (world.chance(0.1) && free !== undefined) return [next(first, free)];
    if (second === undefined || second === first || world.chance(0.7)) return [next(first)];
    return [next(first, this.#state(second).uid), next(second, this.#state(first).uid)];
  }

  #state(id: number): SimulatedIndex {
    return this.#indexes.get(id)!;
  }

  #write(change: Partial<SimulatedChange>, onDurable: () => void): void {
    const { index = [], rows = [], kinds = [], states = [], note = null } = change;
    const row = rows.map(({ uid }) => uid);
    const position = this.#nextPosition++;
    const logged = { position, index, row, kinds, rows, states, note };
    this.#queue.push({ change: logged, onDurable });
    this.#flush();
  }

  /** An upload arrives also after the end of its process. */
  #flush(): void {
    if (this.#isWriting || this.#queue.length === 0) return;
    this.#isWriting = true;
    const group = this.#queue;
    this.#queue = [];
    const { world, loop, store } = this.#node;
    const began = { monotonicMs: loop.nowMs, wallMs: loop.nowMs };
    const changes = group.map(({ change }) => change);
    const answer = this.#node.bound((isAccepted: boolean) => {
      if (!isAccepted) return this.#node.end('fenced');
      const ended = { monotonicMs: loop.nowMs, wallMs: loop.nowMs };
      if (!this.#guard.mayAcknowledge(began, ended)) return this.#node.end('failed');
      this.#logId++;
      this.#isWriting = false;
      for (const { onDurable } of group) onDurable();
      this.#flush();
    });
    loop.after(world.latency(), () => {
      const isCreated = store.create(this.#logId, changes, loop.nowMs);
      // After a lost answer the upload is repeated, and finds the object.
      const isLost = isCreated && world.chance(0.01);
      loop.after(world.latency(), () => answer(isCreated && !isLost));
    });
  }
}
