/**
 * Pure: chooses the next batch, given the queue and the running batches (docs/api.md, 14.3).
 * Batches of different indexes run at the same time, one per index. A task of several indexes waits
 * until it is the oldest task of each of them; later tasks of these indexes wait for it.
 */
import type { TaskType } from '../../model/task.ts';
import {
  NO_INDEX,
  type PendingTask,
  type PendingTasks,
  touchedIndexes,
} from '../store/pending-tasks.ts';
import type { TaskWork } from '../store/stored-task.ts';
import type { BatchCandidate } from './autobatcher.ts';

/** Which enqueued tasks of an unmerged type form one batch. */
export type Takes = 'newest' | 'oldest' | 'all';

export interface QueueRules {
  /** Types that precede all others, in order of precedence. */
  readonly urgent: readonly { readonly type: TaskType; readonly takes: Takes }[];
  /** Types that run in the background, in order of precedence. */
  readonly background: readonly { readonly type: TaskType; readonly takes: Takes }[];
  /** The batching properties of a task that is next in its index. */
  candidateOf(work: TaskWork): BatchCandidate;
}

/**
 * - `global`: of no index; processed and committed before another batch begins
 * - `background`: one at a time of each type, on a held state
 * - `index`: one at a time per index
 */
export type Turn = 'global' | 'background' | 'index';

export interface RunningLane {
  readonly turn: Turn;
  /** Of its first task. */
  readonly type: TaskType;
  readonly indexUids: readonly string[];
  readonly isLarge: boolean;
  /** The batch waits for an embedding provider and has released its slot. */
  readonly isWaiting: boolean;
  readonly runsAlone: boolean;
}

/** Numbers of index batches that may run at the same time. */
export interface LaneSlots {
  readonly batches: number;
  /** Less than `batches`, so that small batches pass large ones. */
  readonly largeBatches: number;
  /** Batches beyond this number keep their slots while they wait for embeddings. */
  readonly waitingBatches: number;
}

export interface LastTurn {
  /** Tasks with lower uids were enqueued before the batch ended. */
  readonly nextUid: number;
  /** Increases with each batch that ends. */
  readonly number: number;
}

interface QueueState {
  readonly pending: Pick<PendingTasks, 'ofType' | 'ready'>;
  readonly rules: QueueRules;
  readonly running: readonly RunningLane[];
  readonly slots: LaneSlots;
  /** True if a batch that begins with the task is known to be large. */
  isLarge(uid: number): boolean;
  /** True if a batch that begins with the task must run alone. */
  runsAlone(uid: number): boolean;
  /** null if the index had no further tasks after its last batch. */
  lastTurnOf(indexUid: string): LastTurn | null;
  /** Milliseconds until the index's next batch may begin, because of a burst of tasks. */
  debounceMs(indexUid: string): number;
}

export interface NextBatch {
  readonly turn: Turn;
  /** Of the first task. */
  readonly type: TaskType;
  /** The index of a batch with exactly one index. */
  readonly indexUid: string | null;
  readonly indexUids: readonly string[];
  /** The first task; for unmerged types, all tasks. */
  readonly tasks: readonly [PendingTask, ...PendingTask[]];
  /** null: the merge table decides which following tasks of the index join. */
  readonly takes: Takes | null;
}

type NextStep =
  | { readonly kind: 'begin'; readonly batch: NextBatch }
  /** @param ms until a batch may begin without a further event; null = never */
  | { readonly kind: 'wait'; readonly ms: number | null };

const WAIT: NextStep = { kind: 'wait', ms: null };

export function nextBatch(queue: QueueState): NextStep {
  const { running } = queue;
  const global = nextGlobal(queue);
  if (global !== null) return { kind: 'begin', batch: global };
  if (running.some(({ runsAlone }) => runsAlone)) return WAIT;
  const background = nextBackground(queue);
  const { batch, ms } =
    background === null ? nextOfIndexes(queue) : { batch: background, ms: null };
  if (batch === null) return { kind: 'wait', ms };
  const mustWait = running.length > 0 && queue.runsAlone(batch.tasks[0].uid);
  return mustWait ? WAIT : { kind: 'begin', batch };
}

/** True if another large batch may run. */
export const hasLargeSlot = ({ running, slots }: Pick<QueueState, 'running' | 'slots'>): boolean =>
  slotsTaken(
    running.filter(({ isLarge }) => isLarge),
    slots,
  ) < slots.largeBatches;

function slotsTaken(running: readonly RunningLane[], { waitingBatches }: LaneSlots): number {
  const lanes = running.filter(({ turn }) => turn === 'index');
  const waiting = lanes.filter(({ isWaiting }) => isWaiting).length;
  return lanes.length - Math.min(waiting, waitingBatches);
}

function nextGlobal({ rules, pending }: QueueState): NextBatch | null {
  for (const { type, takes } of rules.urgent) {
    const waiting = [...pending.ofType(type)].filter(
      (task) => touchedIndexes(task)[0] === NO_INDEX,
    );
    const batch = taken(waiting, takes, 'global');
    if (batch !== null) return batch;
  }
  return null;
}

function nextBackground({ rules, pending, running }: QueueState): NextBatch | null {
  for (const { type, takes } of rules.background) {
    if (running.some((lane) => lane.type === type)) continue;
    const batch = taken([...pending.ofType(type)], takes, 'background');
    if (batch !== null) return batch;
  }
  return null;
}

/** Urgent tasks of indexes first, then the index that waits longest. */
function nextOfIndexes(queue: QueueState): { batch: NextBatch | null; ms: number | null } {
  const { running, slots } = queue;
  if (slotsTaken(running, slots) >= slots.batches) return { batch: null, ms: null };
  const largeFits = hasLargeSlot(queue);
  const fits = ({ uid }: PendingTask) => largeFits || !queue.isLarge(uid);
  const busy = new Set(running.flatMap(({ indexUids }) => indexUids));
  const urgent = urgentOfIndex(queue, busy, fits);
  return urgent === null ? inTurn(queue, busy, fits) : { batch: urgent, ms: null };
}

const touchesBusy = (task: PendingTask, busy: ReadonlySet<string>): boolean =>
  touchedIndexes(task).some((uid) => busy.has(uid));

/** If it returns null, adds the indexes with an urgent task to the busy indexes. */
function urgentOfIndex(
  { pending, rules }: QueueState,
  busy: Set<string>,
  fits: (task: PendingTask) => boolean,
): NextBatch | null {
  for (const { type, takes } of rules.urgent) {
    for (const task of pending.ofType(type)) {
      if (!touchesBusy(task, busy) && fits(task)) return taken([task], takes, 'index');
      for (const uid of touchedIndexes(task)) busy.add(uid);
    }
  }
  return null;
}

function inTurn(
  queue: QueueState,
  busy: ReadonlySet<string>,
  fits: (task: PendingTask) => boolean,
): { batch: NextBatch | null; ms: number | null } {
  const { pending, rules } = queue;
  const notInTurn = new Set([...rules.urgent, ...rules.background].map(({ type }) => type));
  let first: PendingTask | null = null;
  let ms: number | null = null;
  for (const task of pending.ready(notInTurn)) {
    if (touchesBusy(task, busy) || !fits(task)) continue;
    const leftMs = task.indexUid === null ? 0 : queue.debounceMs(task.indexUid);
    if (leftMs > 0) ms = Math.min(ms ?? leftMs, leftMs);
    else if (first === null || isBefore(task, first, queue)) first = task;
  }
  if (first === null) return { batch: null, ms };
  const { type, indexUid } = first;
  const indexUids = touchedIndexes(first);
  return { batch: { turn: 'index', type, indexUid, indexUids, tasks: [first], takes: null }, ms };
}

/**
 * Orders by oldest task. An index that was served goes behind all tasks that were enqueued at that
 * time.
 */
function isBefore(task: PendingTask, other: PendingTask, queue: QueueState): boolean {
  const [one, two] = [placeOf(task, queue), placeOf(other, queue)];
  return one.at === two.at ? one.number < two.number : one.at < two.at;
}

function placeOf(task: PendingTask, { lastTurnOf }: QueueState): { at: number; number: number } {
  const [indexUid = NO_INDEX] = touchedIndexes(task);
  const last = lastTurnOf(indexUid);
  if (last === null || last.nextUid <= task.uid) return { at: task.uid, number: 0 };
  // Sorts before the next task, and by order of service among the indexes served since the last
  // task arrived.
  return { at: last.nextUid - 0.5, number: last.number };
}

function taken(waiting: readonly PendingTask[], takes: Takes, turn: Turn): NextBatch | null {
  const tasks =
    takes === 'all' ? waiting : takes === 'newest' ? waiting.slice(-1) : waiting.slice(0, 1);
  const [first, ...others] = tasks;
  if (first === undefined) return null;
  const indexUid = others.length === 0 ? first.indexUid : null;
  const indexUids = turn === 'index' ? touchedIndexes(first) : [];
  return { turn, type: first.type, indexUid, indexUids, tasks: [first, ...others], takes };
}
