/** Writes of a view: each shows its task until it has ended. */
import { useState } from 'preact/hooks';
import { ApiFailure } from '../api-client.ts';
import { FailureNote } from './failure-note.tsx';
import { followTask } from './follow-task.ts';
import { ProgressBar } from './progress-bar.tsx';

interface WriteState {
  /** Name of the write, such as `Save document 7`. */
  readonly label: string;
  readonly taskUid: number | null;
  /** Finished fraction, null = unknown. */
  readonly part: number | null;
  readonly isDone: boolean;
  readonly failure: ApiFailure | null;
}

export interface Writes {
  /** The newest write. */
  readonly state: WriteState | null;
  /** The newest write while it runs and if it has failed. */
  readonly unfinished: WriteState | null;
  readonly isBusy: boolean;
  /** Sends a request that enqueues a task; resolves when the task has ended or failed. */
  readonly write: (
    label: string,
    send: () => Promise<{ readonly taskUid: number }>,
  ) => Promise<void>;
  /** Forgets the newest write. */
  readonly clear: () => void;
}

/** @param onWritten is called when a task has succeeded */
export function useWrite(onWritten: () => void): Writes {
  const [state, setState] = useState<WriteState | null>(null);
  const unfinished = state?.isDone === true ? null : state;
  const isBusy = unfinished !== null && unfinished.failure === null;
  const write: Writes['write'] = async (label, send) => {
    // Buttons are not disabled meanwhile: they would lose the focus.
    if (isBusy) return;
    let now: WriteState = { label, taskUid: null, part: null, isDone: false, failure: null };
    const show = (next: Partial<WriteState>) => {
      now = { ...now, ...next };
      setState(now);
    };
    show({});
    try {
      const { taskUid } = await send();
      show({ taskUid });
      await followTask(taskUid, (part) => show({ part }));
      show({ isDone: true });
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      show({ failure: error });
      return;
    }
    onWritten();
  };
  return { state, unfinished, isBusy, write, clear: () => setState(null) };
}

/** The newest write: its progress, its end, or its error. */
export function WriteNote({ state }: { readonly state: WriteState | null }) {
  // Screen readers announce changes of a region that was there before.
  return (
    <div class="write-note" role="status">
      {state !== null && <WriteProgress {...state} />}
    </div>
  );
}

function WriteProgress({ label, taskUid, part, isDone, failure }: WriteState) {
  const task = taskUid === null ? null : <a href="#/tasks">task {taskUid}</a>;
  if (failure !== null)
    return (
      <>
        <FailureNote failure={failure} /> {label} failed{task !== null && <>: {task}</>}
      </>
    );
  if (!isDone)
    return (
      <ProgressBar label={taskUid === null ? label : `${label}: task ${taskUid}`} part={part} />
    );
  return (
    <p>
      ✓ {label}: done, {task}
    </p>
  );
}
