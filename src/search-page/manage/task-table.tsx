/** A table of tasks; a row of a failed task has the reason and, where it makes sense, a retry. */
import type { ComponentChildren } from 'preact';
import type { Json } from '../../core/json.ts';
import type { TaskRecord } from '../../model/task.ts';
import { TaskError } from '../parts/failure-note.tsx';
import { humanDuration, humanTime } from '../parts/human.ts';
import { Table } from '../parts/table.tsx';

export interface ShownTask extends Omit<TaskRecord, 'details'> {
  readonly details?: Json | null;
}

interface TaskTableProps {
  readonly tasks: readonly ShownTask[];
  readonly total: number;
  /** What the user may do about a task. */
  readonly action: (task: ShownTask) => ComponentChildren;
}

const TITLES = ['Task', 'Index', 'Type', 'Status', 'Duration', 'Enqueued', 'Action'] as const;

export const TaskTable = ({ tasks, total, action }: TaskTableProps) => (
  <Table class="cards" caption={`${tasks.length} of ${total}`} titles={TITLES}>
    {tasks.map((task) => (
      <TaskRow key={task.uid} task={task} action={action(task)} />
    ))}
  </Table>
);

interface TaskRowProps {
  readonly task: ShownTask;
  readonly action: ComponentChildren;
}

const TaskRow = ({ task, action }: TaskRowProps) => (
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
    <td data-title="Action">{action}</td>
  </tr>
);
