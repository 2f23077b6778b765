/** Creates snapshots and dumps, shows their tasks, and downloads the files. */
import { useState } from 'preact/hooks';
import { humanSize } from '../../core/human-size.ts';
import type { TaskRecord } from '../../model/task.ts';
import { ApiFailure, api } from '../api-client.ts';
import { Button } from '../parts/button.tsx';
import { FailureNote, TaskError } from '../parts/failure-note.tsx';
import { humanDuration, humanTime } from '../parts/human.ts';
import { ProgressBar } from '../parts/progress-bar.tsx';
import { useAttempt } from '../parts/use-attempt.ts';
import { useGet, useRequest } from '../parts/use-request.ts';

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

export function BackupsView() {
  const tasks = useGet<{ readonly results: readonly BackupTask[] }>(
    `tasks?types=dumpCreation,snapshotCreation&limit=${SHOWN_MAX}`,
    EVERY_MS,
  );
  const done = tasks.answer?.results.filter(({ status }) => status === 'succeeded').length;
  const files = useRequest<{ readonly results: readonly BackupFile[] }>(
    (signal) => api.request('GET', 'backups', { signal }),
    [done],
  );
  const { refused, attempt } = useAttempt(tasks.refresh);
  return (
    <section class="backups">
      <h1>Snapshots and dumps</h1>
      <div class="kinds stack columns">
        {KINDS.map(({ path, title, about }) => (
          <article key={path} class="card">
            <h2>{title}</h2>
            <p class="about">{about}</p>
            <Button
              text={`Create ${title.toLowerCase()}`}
              onClick={() => attempt(() => api.request('POST', path))}
            />
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
      {files.answer?.results.length === 0 && <p>There is no backup yet.</p>}
      <ul class="made plain stack files" aria-label="Files">
        {files.answer?.results.map((file) => (
          <FileItem key={file.name} file={file} />
        ))}
      </ul>
      {tasks.answer !== null && tasks.answer.results.length > 0 && <h2>Tasks</h2>}
      <ul class="made plain stack tasks" aria-label="Tasks">
        {tasks.answer?.results.map((task) => (
          <BackupItem key={task.uid} task={task} />
        ))}
      </ul>
    </section>
  );
}

const FileItem = ({ file }: { readonly file: BackupFile }) => {
  const { name, bytes, createdAt } = file;
  const [part, setPart] = useState<number | null>(null);
  const { refused, attempt } = useAttempt(() => setPart(null));
  const download = () => {
    setPart(0);
    attempt(() => downloadFile(file, setPart));
  };
  return (
    <li class="card">
      <p>
        <code>{name}</code> {humanSize(bytes)}{' '}
        <span class="about">{humanTime(createdAt, new Date())}</span>
      </p>
      {part === null ? (
        <Button text="Download" about={` ${name}`} class="quiet" onClick={download} />
      ) : (
        <ProgressBar label={`Downloading ${Math.floor(part * 100)} %`} part={part} />
      )}
      <FailureNote failure={refused} />
    </li>
  );
};

/**
 * Downloads a file with the API key, which a link would not send. The browser keeps large blobs on
 * disk.
 * @param onProgress receives the finished fraction, 0 to 1
 * @throws ApiFailure, also when the connection ends before the file does
 */
async function downloadFile(
  { name, bytes }: BackupFile,
  onProgress: (part: number) => void,
): Promise<void> {
  const response = await api.open('GET', `backups/${encodeURIComponent(name)}`);
  let received = 0;
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      received += chunk.length;
      onProgress(bytes === 0 ? 1 : Math.min(1, received / bytes));
      controller.enqueue(chunk);
    },
  });
  let blob: Blob;
  try {
    blob = await new Response(response.body?.pipeThrough(counted) ?? null).blob();
  } catch {
    throw new ApiFailure(0, 'unreachable', `The download of ${name} was interrupted.`);
  }
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has opened the blob by the next task.
  setTimeout(() => URL.revokeObjectURL(link.href));
}

const BackupItem = ({ task }: { readonly task: BackupTask }) => (
  <li class="card">
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
