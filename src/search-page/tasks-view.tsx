/** Tasks and batches, newest first, with the progress of running batches. */
import { FailureNote } from './parts/failure-note.tsx';
import { humanDuration, humanTime } from './parts/human.ts';
import { ProgressBar } from './parts/progress-bar.tsx';
import { useAttempt } from './parts/use-attempt.ts';
import { useRequest } from './parts/use-request.ts';
import type { ViewProps } from './view.ts';

interface Task {
  readonly uid: number;
  readonly batchUid: number | null;
  readonly indexUid: string | null;
  readonly status: string;
  readonly type: string;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly error: { readonly message: string; readonly code: string } | null;
  readonly duration: string | null;
  readonly enqueuedAt: string;
}

interface Batch {
  readonly uid: number;
  readonly progress: {
    readonly percentage: number;
    readonly steps: readonly {
      readonly currentStep: string;
      readonly finished: number;
      readonly total: number;
    }[];
  } | null;
}

interface List<Item> {
  readonly results: readonly Item[];
  readonly total: number;
}

const EVERY_MS = 1000;
const TASKS_SHOWN = 50;

export function TasksView({ api, port }: ViewProps) {
  const status = port.address.state['status'] ?? '';
  const filter = status === '' ? '' : `&statuses=${status}`;
  const tasks = useRequest<List<Task>>(
    (signal) => api.request('GET', `tasks?limit=${TASKS_SHOWN}${filter}`, { signal }),
    [filter],
    EVERY_MS,
  );
  const running = useRequest<List<Batch>>(
    (signal) => api.request('GET', 'batches?statuses=processing', { signal }),
    [],
    EVERY_MS,
  );
  const { refused, attempt } = useAttempt();
  const cancel = async (uid: number) => {
    await attempt(() => api.request('POST', `tasks/cancel?uids=${uid}`));
    tasks.refresh();
  };
  return (
    <section class="tasks">
      <h1>Tasks</h1>
      <label>
        Status{' '}
        <select
          value={status}
          onChange={(event) => port.stay({ status: event.currentTarget.value })}
        >
          <option value="">all</option>
          {['enqueued', 'processing', 'succeeded', 'failed', 'canceled'].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <FailureNote failure={refused ?? tasks.failure} />
      {running.answer?.results.map((batch) => (
        <BatchProgress key={batch.uid} batch={batch} />
      ))}
      {tasks.answer !== null && <TaskTable tasks={tasks.answer} onCancel={cancel} />}
    </section>
  );
}

function BatchProgress({ batch: { uid, progress } }: { readonly batch: Batch }) {
  const step = progress?.steps.at(-1);
  const counts =
    step === undefined ? '' : `: ${step.currentStep} (${step.finished} of ${step.total})`;
  return (
    <ProgressBar
      label={`Batch ${uid}${counts}`}
      part={progress === null ? null : progress.percentage / 100}
    />
  );
}

interface TaskTableProps {
  readonly tasks: List<Task>;
  readonly onCancel: (uid: number) => Promise<void>;
}

const TaskTable = ({ tasks, onCancel }: TaskTableProps) => (
  <table>
    <caption>
      {tasks.results.length} of {tasks.total}
    </caption>
    <thead>
      <tr>
        {['Task', 'Index', 'Type', 'Status', 'Duration', 'Enqueued', 'Action'].map((title) => (
          <th key={title} scope="col">
            {title}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {tasks.results.map((task) => (
        <TaskRow key={task.uid} task={task} onCancel={onCancel} />
      ))}
    </tbody>
  </table>
);

interface TaskRowProps {
  readonly task: Task;
  readonly onCancel: (uid: number) => Promise<void>;
}

const TaskRow = ({ task, onCancel }: TaskRowProps) => (
  <tr class={task.status}>
    <td>{task.uid}</td>
    <td>{task.indexUid ?? '–'}</td>
    <td>
      {task.type}
      <details>
        <summary>Details</summary>
        <pre>{JSON.stringify(task.details, null, 2)}</pre>
      </details>
    </td>
    <td>
      {task.status}
      {task.error !== null && (
        <p class="failure">
          {task.error.message} <a href={`docs/errors#${task.error.code}`}>{task.error.code}</a>
        </p>
      )}
    </td>
    <td>{humanDuration(task.duration)}</td>
    <td>
      <time dateTime={task.enqueuedAt}>{humanTime(task.enqueuedAt, new Date())}</time>
    </td>
    <td>
      {(task.status === 'enqueued' || task.status === 'processing') && (
        <button type="button" onClick={() => void onCancel(task.uid)}>
          Cancel<span class="hidden"> task {task.uid}</span>
        </button>
      )}
    </td>
  </tr>
);
