/** Enqueues a task; the answer is its summary. */
import type { TaskDraft } from '../../model/task.ts';
import type { JsonAnswer } from './answer.ts';
import type { Indexer } from './context.ts';

export async function enqueued(
  indexer: Indexer,
  task: TaskDraft,
  status: 200 | 202 = 202,
): Promise<JsonAnswer> {
  return { status, json: await indexer.request('enqueue', task) };
}
