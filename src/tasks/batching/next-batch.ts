/**
 * Pure: which batch begins next, given the queue and the batches that run (docs/api.md, 14.3).
 * Batches of different indexes run at the same time, one for each index. A task of several indexes
 * waits until it is the oldest of all of them, and their later tasks wait for it.
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

/** Which tasks of a type that is not merged by the table are one batch. */
export type Takes = 'newest' | 'oldest' | 'all';

/** What kinds of tasks mean for the order. */
export interface QueueRules {
  /** Types that go before all others, the first one first. */
  readonly urgent: readonly { readonly type: TaskType; readonly takes: Takes }[];
  /** Types that run in the background of all others, the first one first. */
  readonly background: readonly { readonly type: TaskType; readonly takes: Takes }[];
  /** What of a task that has its turn in the order of its index decides about its batch. */
  candidateOf(work: TaskWork): BatchCandidate;
}

/**
 * - `global`: of no index, processed and committed before anything else begins
 * - `background`: one at a time, on a state that it holds
 * - `index`: one at a time for each index
 */
export type Turn = 'global' | 'background' | 'index';

export interface RunningLane {
  readonly turn: Turn;
  /** Indexes that the batch touches. */
  readonly indexUids: readonly string[];
  readonly isLarge: boolean;
  /** It waits for a provider of embeddings, so it leaves its slot to others. */
  readonly isWaiting: boolean;
  readonly runsAlone: boolean;
}

/** Batches of indexes that run at the same time. */
export interface LaneSlots {
  readonly batches: number;
  /** Less than `batches`, so that small batches pass while large ones run. */
  readonly largeBatches: number;
  /** Batches that wait for embeddings beyond this number keep their slots. */
  readonly waitingBatches: number;
}

/** When an index was served last. */
export interface LastTurn {
  /** Tasks with lower uids were there when its batch ended. */
  readonly nextUid: number;
  /** Greater than those of all batches that ended earlier. */
  readonly number: number;
}

export interface QueueState {
  readonly pending: Pick<PendingTasks, 'ofType' | 'ready'>;
  readonly rules: QueueRules;
  readonly running: readonly RunningLane[];
  readonly slots: LaneSlots;
  /** Whether a batch beginning with the task is known to be large. */
  isLarge(uid: number): boolean;
  /** Whether a batch beginning with the task may run only while no other does. */
  runsAlone(uid: number): boolean;
  /** null for an index that had no tasks left. */
  lastTurnOf(indexUid: string): LastTurn | null;
  /** Milliseconds until the next batch of the index may begin, because many tasks come in a row. */
  debounceMs(indexUid: string): number;
}

export interface NextBatch {
  readonly turn: Turn;
  /** The only index, if there is one. */
  readonly indexUid: string | null;
  readonly indexUids: readonly string[];
  /** Its first task and, unless they are merged by the table, all others. */
  readonly tasks: readonly [PendingTask, ...PendingTask[]];
  /** null: following tasks of the index are merged by the table. */
  readonly takes: Takes | null;
}

export type NextStep =
  | { readonly kind: 'begin'; readonly batch: NextBatch }
  /** @param ms until there may be a batch without further events; null = never */
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

/** Whether one more large batch may run. */
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
  if (running.some(({ turn }) => turn === 'background')) return null;
  for (const { type, takes } of rules.background) {
    const batch = taken([...pending.ofType(type)], takes, 'background');
    if (batch !== null) return batch;
  }
  return null;
}

/** Urgent tasks of an index first, then the index whose turn it is. */
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

/** Adds the indexes that have an urgent task to the busy ones when it returns null. */
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
  const { indexUid } = first;
  const indexUids = touchedIndexes(first);
  return { batch: { turn: 'index', indexUid, indexUids, tasks: [first], takes: null }, ms };
}

/**
 * An index that was served goes behind all tasks that were waiting then; the oldest task goes first
 * otherwise.
 */
function isBefore(task: PendingTask, other: PendingTask, queue: QueueState): boolean {
  const [one, two] = [placeOf(task, queue), placeOf(other, queue)];
  return one.at === two.at ? one.number < two.number : one.at < two.at;
}

function placeOf(task: PendingTask, { lastTurnOf }: QueueState): { at: number; number: number } {
  const [indexUid = NO_INDEX] = touchedIndexes(task);
  const last = lastTurnOf(indexUid);
  if (last === null || last.nextUid <= task.uid) return { at: task.uid, number: 0 };
  // Before the task that comes next, and in the order of service among the indexes served since
  // the last task came.
  return { at: last.nextUid - 0.5, number: last.number };
}

function taken(waiting: readonly PendingTask[], takes: Takes, turn: Turn): NextBatch | null {
  const tasks =
    takes === 'all' ? waiting : takes === 'newest' ? waiting.slice(-1) : waiting.slice(0, 1);
  const [first, ...others] = tasks;
  if (first === undefined) return null;
  const indexUid = others.length === 0 ? first.indexUid : null;
  const indexUids = turn === 'index' ? touchedIndexes(first) : [];
  return { turn, indexUid, indexUids, tasks: [first, ...others], takes };
}
