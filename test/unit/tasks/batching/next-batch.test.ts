/** Which batch begins next, as a table: the queue, the batches that run, and the next step. */
import { describe, expect, it } from 'vitest';
import type { TaskType } from '../../../../src/model/task.ts';
import {
  type LaneSlots,
  type LastTurn,
  nextBatch,
  type RunningLane,
} from '../../../../src/tasks/batching/next-batch.ts';
import { QUEUE_RULES } from '../../../../src/tasks/kinds/task-kinds.ts';
import { PendingTasks } from '../../../../src/tasks/store/pending-tasks.ts';

const TYPES: Readonly<Record<string, TaskType>> = {
  add: 'documentAdditionOrUpdate',
  swap: 'indexSwap',
  rename: 'indexUpdate',
  compact: 'indexCompaction',
  cancel: 'taskCancelation',
  forget: 'taskDeletion',
  dump: 'dumpCreation',
  snapshot: 'snapshotCreation',
};
/** Tasks that name their indexes in `otherUids` alone, or name none. */
const OF_NO_INDEX = new Set(['swap', 'cancel', 'forget', 'dump', 'snapshot']);

/** @param list "add a" is an addition to index a, "swap a b" a swap, "cancel" a cancelation */
function queueOf(list: readonly string[]): PendingTasks {
  const tasks = new PendingTasks();
  for (const [uid, text] of list.entries()) {
    const [kind = '', ...uids] = text.split(' ');
    const type = TYPES[kind];
    if (type === undefined) throw new Error(`no kind of task: ${kind}`);
    const indexUid = OF_NO_INDEX.has(kind) ? null : (uids.shift() ?? null);
    tasks.add({ uid, type, indexUid, otherUids: uids });
  }
  return tasks;
}

const lane = (indexUid: string, own: Partial<RunningLane> = {}): RunningLane => ({
  turn: 'index',
  type: 'documentAdditionOrUpdate',
  indexUids: [indexUid],
  isLarge: false,
  isWaiting: false,
  runsAlone: false,
  ...own,
});
const large = { isLarge: true };
const waiting = { isLarge: true, isWaiting: true };
const background = (type: TaskType): RunningLane => ({
  ...lane(''),
  turn: 'background',
  type,
  indexUids: [],
});

interface Given {
  readonly running?: readonly RunningLane[];
  readonly slots?: LaneSlots;
  readonly large?: readonly number[];
  readonly alone?: readonly number[];
  readonly served?: Readonly<Record<string, LastTurn>>;
  readonly debounceMs?: Readonly<Record<string, number>>;
}

const SLOTS: LaneSlots = { batches: 3, largeBatches: 2, waitingBatches: 1 };

/** Uids of the tasks that begin, "wait", or "wait 5" (milliseconds). */
function next(list: readonly string[], given: Given): string {
  const step = nextBatch({
    pending: queueOf(list),
    rules: QUEUE_RULES,
    running: given.running ?? [],
    slots: given.slots ?? SLOTS,
    isLarge: (uid) => given.large?.includes(uid) ?? false,
    runsAlone: (uid) => given.alone?.includes(uid) ?? false,
    lastTurnOf: (indexUid) => given.served?.[indexUid] ?? null,
    debounceMs: (indexUid) => given.debounceMs?.[indexUid] ?? 0,
  });
  if (step.kind === 'wait') return step.ms === null ? 'wait' : `wait ${step.ms}`;
  return step.batch.tasks.map(({ uid }) => uid).join(' ');
}

const [a, b] = [lane('a'), lane('b')];

describe('the next batch', () => {
  it.each<[string, readonly string[], Given, string]>([
    ['is none of an empty queue', [], {}, 'wait'],
    ['begins with the oldest task', ['add a', 'add b'], {}, '0'],
    ['is of an index without a batch', ['add a', 'add a', 'add b'], { running: [a] }, '2'],
    ['waits when all indexes have one', ['add a', 'add b'], { running: [a, b] }, 'wait'],
    ['waits for a slot', ['add c'], { running: [a, b, lane('d')] }, 'wait'],
    [
      'takes the slot of a batch that waits',
      ['add c'],
      { running: [lane('a', waiting), b, lane('d')] },
      '0',
    ],
    [
      'does not take more slots than may wait',
      ['add c'],
      { running: [lane('a', waiting), lane('b', waiting), lane('d'), lane('e')] },
      'wait',
    ],
    [
      'is not a large one too many',
      ['add c', 'add d'],
      { running: [lane('a', large), lane('b', large)], large: [0] },
      '1',
    ],
    [
      'is a large one while a large one waits',
      ['add c'],
      { running: [lane('a', large), lane('b', waiting)], large: [0] },
      '0',
    ],
    [
      'needs no slot for what runs in the background',
      ['add c'],
      { running: [a, b, background('dumpCreation')] },
      '0',
    ],
  ])('%s', (_, list, given, expected) => {
    expect(next(list, given)).toBe(expected);
  });
});

describe('a task of several indexes', () => {
  it.each<[string, readonly string[], Given, string]>([
    ['waits for earlier tasks of each', ['add a', 'swap a b'], { running: [a] }, 'wait'],
    ['waits for a batch of one of them', ['swap a b'], { running: [b] }, 'wait'],
    [
      'holds up later tasks of all of them',
      ['add a', 'swap a b', 'add b', 'add c'],
      { running: [a] },
      '3',
    ],
    ['runs when it is the oldest of all', ['swap a b', 'add b'], {}, '0'],
    [
      'keeps its indexes while it runs',
      ['swap a b', 'add b', 'add c'],
      { running: [lane('a', { indexUids: ['a', 'b'] })] },
      '2',
    ],
    [
      'may be a rename, which holds up the new name',
      ['add a', 'rename a b', 'add b'],
      { running: [a] },
      'wait',
    ],
  ])('%s', (_, list, given, expected) => {
    expect(next(list, given)).toBe(expected);
  });
});

describe('urgent tasks', () => {
  it.each<[string, readonly string[], Given, string]>([
    ['are cancelations first, the newest', ['add a', 'forget', 'cancel', 'cancel'], {}, '3'],
    ['are deletions next, together', ['add a', 'forget', 'compact b', 'forget'], {}, '1 3'],
    ['need no slot when they are of no index', ['cancel'], { running: [a, b, lane('c')] }, '0'],
    ['of an index go before its other tasks', ['add a', 'compact a'], {}, '1'],
    [
      'of an index wait for its batch, which others do not',
      ['compact a', 'add a', 'add b'],
      { running: [a] },
      '2',
    ],
  ])('%s', (_, list, given, expected) => {
    expect(next(list, given)).toBe(expected);
  });
});

describe('background tasks', () => {
  it.each<[string, readonly string[], Given, string]>([
    ['go before those of indexes', ['add a', 'dump'], {}, '1'],
    [
      'are one at a time of each type',
      ['add a', 'dump'],
      { running: [background('dumpCreation')] },
      '0',
    ],
    [
      'do not wait for those of other types',
      ['add a', 'dump'],
      { running: [background('export'), background('snapshotCreation')] },
      '1',
    ],
    ['of some kinds are together', ['snapshot', 'add a', 'snapshot'], {}, '0 2'],
  ])('%s', (_, list, given, expected) => {
    expect(next(list, given)).toBe(expected);
  });
});

describe('an index that was served', () => {
  const served = { a: { nextUid: 3, number: 1 }, b: { nextUid: 3, number: 2 } };
  it.each<[string, readonly string[], Given, string]>([
    [
      'goes behind tasks that waited then',
      ['add a', 'add a', 'add b'],
      { served: { a: { nextUid: 3, number: 1 } } },
      '2',
    ],
    ['goes before tasks that came later', ['add a', 'add a', 'add a', 'add b'], { served }, '0'],
    ['takes turns with others that were', ['add b', 'add a', 'add b'], { served }, '1'],
  ])('%s', (_, list, given, expected) => {
    expect(next(list, given)).toBe(expected);
  });
});

describe('a burst of tasks', () => {
  it.each<[string, readonly string[], Given, string]>([
    ['makes its index wait, and no other', ['add a', 'add b'], { debounceMs: { a: 5 } }, '1'],
    ['says how long', ['add a', 'add b'], { debounceMs: { a: 5, b: 7 } }, 'wait 5'],
  ])('%s', (_, list, given, expected) => {
    expect(next(list, given)).toBe(expected);
  });
});

describe('a task that is suspected to end the process', () => {
  it.each<[string, readonly string[], Given, string]>([
    ['waits until no batch runs', ['add a', 'add b'], { running: [lane('c')], alone: [0] }, 'wait'],
    ['runs then', ['add a', 'add b'], { alone: [0] }, '0'],
    [
      'keeps others waiting meanwhile',
      ['add b'],
      { running: [lane('a', { runsAlone: true })] },
      'wait',
    ],
    ['can be canceled meanwhile', ['cancel'], { running: [lane('a', { runsAlone: true })] }, '0'],
  ])('%s', (_, list, given, expected) => {
    expect(next(list, given)).toBe(expected);
  });
});
