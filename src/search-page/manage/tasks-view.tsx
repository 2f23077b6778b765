/** Tasks, newest first, with filters, reasons of failures and retry; and running batches. */
import { type BatchRecord, TASK_STATUSES, TASK_TYPES } from '../../model/task.ts';
import { api } from '../api-client.ts';
import { Button } from '../parts/button.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { ProgressBar } from '../parts/progress-bar.tsx';
import { Select } from '../parts/select.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { useGet } from '../parts/use-request.ts';
import type { ViewProps } from '../view.ts';
import { retryOf } from './retry-task.ts';
import { type ShownTask, TaskTable } from './task-table.tsx';

interface TaskList {
  readonly results: readonly ShownTask[];
  readonly total: number;
  /** uid of the next older task, null at the end. */
  readonly next: number | null;
}

const EVERY_MS = 1000;
const TASKS_SHOWN = 50;
const FILTERS = ['statuses', 'types', 'indexUids'] as const;

/** @param state of the address */
function taskQuery(state: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams({ limit: String(TASKS_SHOWN) });
  for (const name of [...FILTERS, 'from'])
    if (state[name] !== undefined && state[name] !== '') query.set(name, state[name]);
  return query.toString();
}

export function TasksView({ port, uids }: ViewProps) {
  const { state } = port.address;
  const query = taskQuery(state);
  const tasks = useGet<TaskList>(`tasks?${query}`, EVERY_MS);
  const { refused, attempt } = useAttempt(tasks.refresh);
  const filter = (label: string, name: (typeof FILTERS)[number], values: readonly string[]) => {
    const { [name]: value = '' } = state;
    const shown = [...new Set([...values, ...(value === '' ? [] : [value])])];
    return (
      <Select
        label={label}
        value={value}
        options={[['', 'all'], ...shown]}
        onChange={(next) => port.stay({ ...state, [name]: next, from: '' })}
      />
    );
  };
  const action = (task: ShownTask) => {
    const retry = retryOf(task);
    const isOpen = task.status === 'enqueued' || task.status === 'processing';
    if (task.status === 'failed' && task.type === 'documentAdditionOrUpdate')
      return <a href="#/indexes">Import again</a>;
    if (!isOpen && retry === null) return null;
    const { method, path, body } = retry ?? {
      method: 'POST',
      path: `tasks/cancel?uids=${task.uid}`,
      body: undefined,
    };
    return (
      <Button
        text={isOpen ? 'Cancel' : 'Retry'}
        about={` task ${task.uid}`}
        class="quiet"
        onClick={() => attempt(() => api.request(method, path, { body }))}
      />
    );
  };
  return (
    <section class="tasks">
      <h1>Tasks</h1>
      <div class="options">
        {filter('Status', 'statuses', TASK_STATUSES)}
        {filter('Type', 'types', TASK_TYPES)}
        {filter('Of index', 'indexUids', uids)}
      </div>
      <FailureNote failure={refused ?? tasks.failure} />
      <RunningBatches />
      {tasks.answer !== null && (
        <TaskTable tasks={tasks.answer.results} total={tasks.answer.total} action={action} />
      )}
      <div class="buttons">
        {(state['from'] ?? '') !== '' && (
          <Button
            text="Newest tasks"
            class="quiet"
            onClick={() => port.stay({ ...state, from: '' })}
          />
        )}
        {typeof tasks.answer?.next === 'number' && (
          <Button
            text="Older tasks"
            class="quiet"
            onClick={() => port.stay({ ...state, from: String(tasks.answer?.next) })}
          />
        )}
      </div>
    </section>
  );
}

function RunningBatches() {
  const running = useGet<{ readonly results: readonly Pick<BatchRecord, 'uid' | 'progress'>[] }>(
    'batches?statuses=processing',
    EVERY_MS,
  );
  return (
    <>
      {running.answer?.results.map(({ uid, progress }) => {
        const step = progress?.steps.at(-1);
        const counts =
          step === undefined ? '' : `: ${step.currentStep} (${step.finished} of ${step.total})`;
        return (
          <ProgressBar
            key={uid}
            label={`Batch ${uid}${counts}`}
            part={progress === null ? null : progress.percentage / 100}
          />
        );
      })}
    </>
  );
}
