/** Creates snapshots and dumps, shows their tasks, and downloads the files. */
import { useState } from 'preact/hooks';
import { humanSize } from '../../core/human-size.ts';
import type { TaskRecord } from '../../model/task.ts';
import type { ApiClient } from '../api-client.ts';
import { Button } from '../parts/button.tsx';
import { FailureNote, TaskError } from '../parts/failure-note.tsx';
import { humanDuration, humanTime } from '../parts/human.ts';
import { ProgressBar } from '../parts/progress-bar.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { useGet, useRequest } from '../parts/use-request.ts';
import type { ViewProps } from '../view.ts';
import { downloadFile } from './download-file.ts';

interface BackupFile {
  readonly name: string;
  readonly bytes: number;
  readonly createdAt: string;
}

type BackupTask = Pick<TaskRecord, 'uid' | 'type' | 'status' | 'error' | 'duration' | 'finishedAt'>;

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
  const tasks = useGet<{ readonly results: readonly BackupTask[] }>(
    api,
    `tasks?types=dumpCreation,snapshotCreation&limit=${SHOWN_MAX}`,
    EVERY_MS,
  );
  const done = tasks.answer?.results.filter(({ status }) => status === 'succeeded').length;
  const files = useRequest<{ readonly results: readonly BackupFile[] }>(
    (signal) => api.request('GET', 'backups', { signal }),
    [done],
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
            <Button text={`Create ${title.toLowerCase()}`} onClick={() => void create(path)} />
          </article>
        ))}
      </div>
      <FailureNote failure={refused ?? tasks.failure} />
      <h2>Files</h2>
      <p class="about">
        They hold all data and its secrets: keep them safe.{' '}
        <a href="docs/backups">How to restore</a>.
      </p>
      <FailureNote failure={files.failure} />
      <ul class="made files" aria-label="Files">
        {files.answer?.results.map((file) => (
          <FileItem key={file.name} api={api} file={file} />
        ))}
      </ul>
      <h2>Tasks</h2>
      <ul class="made tasks" aria-label="Tasks">
        {tasks.answer?.results.map((task) => (
          <BackupItem key={task.uid} task={task} />
        ))}
      </ul>
    </section>
  );
}

interface FileItemProps {
  readonly api: ApiClient;
  readonly file: BackupFile;
}

const FileItem = ({ api, file: { name, bytes, createdAt } }: FileItemProps) => {
  const [part, setPart] = useState<number | null>(null);
  const { refused, attempt } = useAttempt();
  const download = async () => {
    setPart(0);
    await attempt(() =>
      downloadFile(api, {
        path: `backups/${encodeURIComponent(name)}`,
        name,
        bytes,
        onProgress: setPart,
      }),
    );
    setPart(null);
  };
  return (
    <li>
      <p>
        <code>{name}</code> {humanSize(bytes)}{' '}
        <span class="about">{humanTime(createdAt, new Date())}</span>
      </p>
      {part === null ? (
        <Button text="Download" about={` ${name}`} class="quiet" onClick={() => void download()} />
      ) : (
        <ProgressBar label={`Downloading ${Math.floor(part * 100)} %`} part={part} />
      )}
      <FailureNote failure={refused} />
    </li>
  );
};

const BackupItem = ({ task }: { readonly task: BackupTask }) => (
  <li>
    <h3>
      {task.type === 'dumpCreation' ? 'Dump' : 'Snapshot'}{' '}
      <span class={`status ${task.status}`}>{task.status}</span>
    </h3>
    {(task.status === 'enqueued' || task.status === 'processing') && (
      <progress aria-label={`Task ${task.uid}`} />
    )}
    <p class="about">
      <a href="#/tasks">Task {task.uid}</a> {humanTime(task.finishedAt, new Date())}{' '}
      {humanDuration(task.duration)}
    </p>
    <TaskError error={task.error} />
  </li>
);
