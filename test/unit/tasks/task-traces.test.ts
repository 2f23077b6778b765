/** Spans of tasks: which tasks have one, their times and parents. */
import { expect, it } from 'vitest';
import type { OpenSpan, Traces } from '../../../src/observability/otlp.ts';
import type { TaskRow } from '../../../src/tasks/store/task-table.ts';
import { TaskTraces } from '../../../src/tasks/task-traces.ts';

const row = (uid: number, more: Partial<TaskRow> = {}): TaskRow => ({
  uid,
  status: 'succeeded',
  type: 'indexCreation',
  indexUid: 'films',
  batchUid: 7,
  canceledBy: null,
  enqueuedAt: 1_000_000,
  startedAt: 3_000_000,
  finishedAt: 6_000_000,
  ...more,
});

function harness() {
  const begun: Parameters<Traces['begin']>[] = [];
  const parts: [string, number][] = [];
  const ends: Parameters<OpenSpan['end']>[] = [];
  const tasks = new TaskTraces({
    begin: (...args) => {
      begun.push(args);
      return {
        traceparent: 'own',
        add: (name, from, to) => parts.push([name, Math.round(from - to)]),
        end: (...end) => ends.push(end),
      };
    },
  });
  const enqueue = async (uid: number, more: object) =>
    tasks
      .noting({ enqueue: async (_draft: object) => ({ taskUid: uid }) as never })
      .enqueue({ type: 'indexCreation', indexUid: 'films', ...more } as never);
  return { tasks, begun, parts, ends, enqueue };
}

it('a traced task has a span with its wait and its batch, once', async () => {
  const { tasks, begun, parts, ends, enqueue } = harness();
  await enqueue(1, { traceparent: 'of the request' });
  await enqueue(2, {});
  tasks.ended([row(1), row(2)]);
  tasks.ended([row(1)]);
  const facts = {
    'gannet.task': 1,
    'gannet.index': 'films',
    'gannet.batch': 7,
    'gannet.batch.tasks': 2,
    'gannet.status': 'succeeded',
  };
  expect(begun).toEqual([['task indexCreation', 'of the request', facts, 1000]]);
  expect(parts).toEqual([
    ['queue', 2000],
    ['batch', 3000],
  ]);
  expect(ends).toEqual([[{}, false, 6000]]);
});

it('a task that failed, or was canceled before it began, has one too', async () => {
  const { tasks, parts, ends, enqueue } = harness();
  await enqueue(1, { traceparent: 'a' });
  await enqueue(2, { traceparent: 'b' });
  tasks.ended([
    row(1, { status: 'failed', indexUid: null }),
    row(2, { status: 'canceled', startedAt: null }),
  ]);
  expect(ends.map(([, isError]) => isError)).toEqual([true, false]);
  expect(parts[2]).toEqual(['queue', 0]);
});

it('a dry run is not noted: its uid goes to another task', async () => {
  const { tasks, begun, enqueue } = harness();
  await enqueue(1, { traceparent: 'a', isDryRun: true });
  tasks.ended([row(1)]);
  expect(begun).toEqual([]);
});

it('at most 10,000 tasks are noted', async () => {
  const { tasks, begun, enqueue } = harness();
  for (let uid = 0; uid < 10_001; uid++) await enqueue(uid, { traceparent: 'a' });
  tasks.ended([row(9999), row(10_000)]);
  expect(begun).toHaveLength(1);
});
