/** A table of tasks: a failed one shows the reason, an unfinished one can be canceled. */
import type { Json } from '../../core/json.ts';
import type { TaskRecord } from '../../model/task.ts';
import { Button } from '../parts/button.tsx';
import { TaskError } from '../parts/failure-note.tsx';
import { humanDuration, humanTime } from '../parts/human.ts';
import { Table } from '../parts/table.tsx';

export interface ShownTask extends Omit<TaskRecord, 'details'> {
  readonly details?: Json | null;
}

interface TaskTableProps {
  readonly tasks: readonly ShownTask[];
  readonly total: number;
  readonly onCancel: (task: ShownTask) => void;
}

const TITLES = ['Task', 'Index', 'Type', 'Status', 'Duration', 'Enqueued', 'Action'] as const;

export const TaskTable = ({ tasks, total, onCancel }: TaskTableProps) => (
  <Table class="cards" caption={`${tasks.length} of ${total}`} titles={TITLES}>
    {tasks.map((task) => (
      <TaskRow key={task.uid} task={task} onCancel={() => onCancel(task)} />
    ))}
  </Table>
);

interface TaskRowProps {
  readonly task: ShownTask;
  readonly onCancel: () => void;
}

const TaskRow = ({ task, onCancel }: TaskRowProps) => (
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
      {(task.status === 'enqueued' || task.status === 'processing') && (
        <Button text="Cancel" about={` task ${task.uid}`} class="quiet" onClick={onCancel} />
      )}
    </td>
  </tr>
);
