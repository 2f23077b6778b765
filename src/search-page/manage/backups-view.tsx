/** Creates snapshots and dumps, and shows those that the server has made. */
import type { Json } from '../../core/json.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { humanDuration, humanTime } from '../parts/human.ts';
import { useAttempt } from '../parts/use-attempt.ts';
import { useRequest } from '../parts/use-request.ts';
import type { ViewProps } from '../view.ts';

interface BackupTask {
  readonly uid: number;
  readonly type: string;
  readonly status: string;
  readonly details?: Json | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly duration: string | null;
  readonly finishedAt: string | null;
}

const EVERY_MS = 1000;
const SHOWN_MAX = 50;

const KINDS = [
  {
    path: 'snapshots',
    title: 'Snapshot',
    about: 'A copy of the data folder: restored fastest, by this release or a later one.',
  },
  {
    path: 'dumps',
    title: 'Dump',
    about: 'Documents, settings, keys and tasks as text: for another release or another server.',
  },
] as const;

export function BackupsView({ api }: ViewProps) {
  const tasks = useRequest<{ readonly results: readonly BackupTask[] }>(
    (signal) =>
      api.request('GET', `tasks?types=dumpCreation,snapshotCreation&limit=${SHOWN_MAX}`, {
        signal,
      }),
    [],
    EVERY_MS,
  );
  const { refused, attempt } = useAttempt();
  const create = async (path: string) => {
    await attempt(() => api.request('POST', path));
    tasks.refresh();
  };
  return (
    <section class="backups">
      <h1>Snapshots and dumps</h1>
      <div class="kinds">
        {KINDS.map(({ path, title, about }) => (
          <article key={path}>
            <h2>{title}</h2>
            <p class="about">{about}</p>
            <button type="button" onClick={() => void create(path)}>
              Create {title.toLowerCase()}
            </button>
          </article>
        ))}
      </div>
      <p class="about">
        Files stay on the server, because they hold secrets. Copy them from there;{' '}
        <a href="docs/backups">how to restore them</a>.
      </p>
      <FailureNote failure={refused ?? tasks.failure} />
      <ul class="made" aria-label="Snapshots and dumps">
        {tasks.answer?.results.map((task) => (
          <BackupItem key={task.uid} task={task} />
        ))}
      </ul>
    </section>
  );
}

const BackupItem = ({ task }: { readonly task: BackupTask }) => (
  <li>
    <h2>
      {task.type === 'dumpCreation' ? 'Dump' : 'Snapshot'}{' '}
      <span class={`status ${task.status}`}>{task.status}</span>
    </h2>
    <p>
      {task.status === 'succeeded' && <FileOnServer task={task} />}
      {(task.status === 'enqueued' || task.status === 'processing') && (
        <progress aria-label={`Task ${task.uid}`} />
      )}
    </p>
    <p class="about">
      <a href="#/tasks">Task {task.uid}</a> {humanTime(task.finishedAt, new Date())}{' '}
      {humanDuration(task.duration)}
    </p>
    {task.error !== null && (
      <p class="failure">
        {task.error.message} <a href={`docs/errors#${task.error.code}`}>{task.error.code}</a>
      </p>
    )}
  </li>
);

const FileOnServer = ({ task: { type, details } }: { readonly task: BackupTask }) =>
  type === 'dumpCreation' ? (
    <>
      File <code>{String(details?.['dumpUid'])}.dump</code> in the folder of <code>--dump-dir</code>
    </>
  ) : (
    <>
      The newest <code>.snapshot</code> file in the folder of <code>--snapshot-dir</code>
    </>
  );
