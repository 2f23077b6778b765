/** A table of tasks; a row of a failed task has the reason and, where it makes sense, a retry. */
import type { Json } from '../../core/json.ts';
import type { TaskRecord } from '../../model/task.ts';
import { Button } from '../parts/button.tsx';
import { TaskError } from '../parts/failure-note.tsx';
import { humanDuration, humanTime } from '../parts/human.ts';
import { Table } from '../parts/table.tsx';
import { type Retry, retryOf } from './retry-task.ts';

export interface ShownTask extends Omit<TaskRecord, 'details'> {
  readonly details?: Json | null;
}

interface TaskTableProps {
  readonly tasks: readonly ShownTask[];
  readonly total: number;
  readonly onCancel: (uid: number) => void;
  readonly onRetry: (retry: Retry) => void;
}

const TITLES = ['Task', 'Index', 'Type', 'Status', 'Duration', 'Enqueued', 'Action'] as const;

export const TaskTable = ({ tasks, total, onCancel, onRetry }: TaskTableProps) => (
  <Table caption={`${tasks.length} of ${total}`} titles={TITLES}>
    {tasks.map((task) => (
      <TaskRow key={task.uid} task={task} onCancel={onCancel} onRetry={onRetry} />
    ))}
  </Table>
);

type TaskRowProps = Pick<TaskTableProps, 'onCancel' | 'onRetry'> & { readonly task: ShownTask };

const TaskRow = ({ task, onCancel, onRetry }: TaskRowProps) => (
  <tr class={task.status}>
    <td data-title="Task">{task.uid}</td>
    <td data-title="Index">{task.indexUid ?? '–'}</td>
    <td data-title="Type">
      {task.type}
      {task.details && (
        <details>
          <summary>
            Details<span class="hidden"> of task {task.uid}</span>
          </summary>
          <pre>{JSON.stringify(task.details, null, 2)}</pre>
        </details>
      )}
    </td>
    <td data-title="Status">
      <span class={`status ${task.status}`}>{task.status}</span>
      <TaskError error={task.error} />
    </td>
    <td data-title="Duration">{humanDuration(task.duration)}</td>
    <td data-title="Enqueued">
      <time dateTime={task.enqueuedAt}>{humanTime(task.enqueuedAt, new Date())}</time>
    </td>
    <td data-title="Action">
      <TaskAction task={task} onCancel={onCancel} onRetry={onRetry} />
    </td>
  </tr>
);

function TaskAction({ task, onCancel, onRetry }: TaskRowProps) {
  const button = (text: string, onClick: () => void) => (
    <Button text={text} about={` task ${task.uid}`} class="quiet" onClick={onClick} />
  );
  const retry = retryOf(task);
  if (task.status === 'enqueued' || task.status === 'processing')
    return button('Cancel', () => onCancel(task.uid));
  if (retry !== null) return button('Retry', () => onRetry(retry));
  if (task.status === 'failed' && task.type === 'documentAdditionOrUpdate')
    return <a href="#/indexes">Import again</a>;
  return null;
}
