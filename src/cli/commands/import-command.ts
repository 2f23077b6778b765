/** `gannet import`: imports documents from files or standard input into an index. */

import { counted } from '../../core/counted.ts';
import { type DocumentForm, documentFormOf } from '../../model/document-form.ts';
import { type DocumentPart, inLinesOfFile } from '../../model/document-parts.ts';
import { UPLOAD_MEDIA_TYPES, type UploadFormat } from '../../model/upload.ts';
import { type Command, type CommandCall, type GivenOptions, textOption } from '../command.ts';
import { CommandFailure, EXIT } from '../command-failure.ts';
import {
  csvDelimiter,
  DELIMITER_OPTION,
  MIB,
  openFile,
  PART_SIZE_OPTION,
  partBytesOf,
  partsOfFile,
} from '../documents/file-parts.ts';
import { type FollowedTask, failureReason, type Instance, indexPath } from '../instance-client.ts';
import { Progress } from '../progress.ts';
import { fileIdentity, StateFile } from '../state-file.ts';
import type { Terminal } from '../terminal.ts';

const STDIN = '-';

/** Progress of the import of a file. The import starts over if the file has changed since. */
interface ImportState {
  /** Bytes of the unpacked file that the server has acknowledged. */
  readonly end: number;
  /** Uids of the tasks of these bytes. */
  readonly taskUids: readonly number[];
}

export const importCommand: Command = {
  name: 'import',
  summary: 'Imports documents from files or standard input (JSON, NDJSON, CSV, also gzipped)',
  usage: 'FILE... [--index UID]',
  arguments: [1, Number.POSITIVE_INFINITY],
  asksServer: true,
  options: {
    'index UID': "index name (default: the file's name)",
    'primary-key FIELD': 'primary key field (default: inferred)',
    'format json|ndjson|csv': 'format of the documents (default: by the file name)',
    ...DELIMITER_OPTION,
    update: 'updates the given fields of existing documents instead of replacing the documents',
    ...PART_SIZE_OPTION,
    'no-wait': 'exits when the server has acknowledged all parts, before they are searchable',
    restart: 'starts over instead of resuming an interrupted import',
  },
  async run(call) {
    const failures: string[] = [];
    for (const file of call.arguments) failures.push(...(await importFile(call, file)));
    for (const failure of failures) call.terminal.note(`gannet: ${failure}`);
    return failures.length === 0 ? EXIT.done : EXIT.failed;
  },
};

/** Resolves to the errors of failed tasks. */
async function importFile(call: CommandCall, file: string): Promise<string[]> {
  const { options, instance, terminal, env } = call;
  const form = formOf(file, options);
  const indexUid = textOption(options, 'index') ?? form.indexUid;
  const partBytes = partBytesOf(options);
  const job = { file, url: instance.url, indexUid, partBytes };
  const state = file === STDIN ? null : stateOf({ ...job, ...fileIdentity(file) }, env);
  if (options['restart'] === true) state?.remove();
  const before = state?.read() ?? { end: 0, taskUids: [] };
  if (before.end > 0) terminal.note(`${file}: resuming after ${Math.floor(before.end / MIB)} MiB`);
  const taskUids = [...before.taskUids];
  const reading =
    file === STDIN ? { bytes: terminal.input, part: () => 0 } : openFile(file, form.isCompressed);
  const path = pathOf(indexUid, form.format, options);
  const method = options['update'] === true ? 'PUT' : 'POST';
  const contentType = UPLOAD_MEDIA_TYPES[form.format];
  const progress = new Progress();
  for await (const part of partsOfFile(reading.bytes, form.format, partBytes, before.end)) {
    const request = { bytes: part.bytes, contentType };
    const { taskUid } = await instance
      .request<{ taskUid: number }>(method, path, request)
      .catch((error: unknown) => {
        throw aboutFile(error, file, part);
      });
    taskUids.push(taskUid);
    state?.write({ end: part.end, taskUids });
    terminal.progress(progress.line(reading.part(), `${file}: sending`, part.end - before.end));
  }
  terminal.progress(null);
  if (options['no-wait'] === true) {
    terminal.print(`${file}: ${counted(taskUids.length, 'task')} for ${indexUid}`);
    terminal.json({ file, indexUid, taskUids });
    state?.remove();
    return [];
  }
  const { documents, failures } = await waitForTasks(instance, taskUids, file, terminal);
  state?.remove();
  terminal.print(`${file}: ${counted(documents, 'document')} in ${indexUid}`);
  terminal.json({ file, indexUid, taskUids, documents, failures });
  return failures;
}

/** The refusal of a part, with the name and lines of the file. */
const aboutFile = (error: unknown, file: string, part: DocumentPart): unknown =>
  error instanceof CommandFailure
    ? new CommandFailure(
        `${file}: ${inLinesOfFile(error.message, part)}`,
        error.exitCode,
        error.code,
      )
    : error;

const stateOf = (job: object, env: CommandCall['env']): StateFile<ImportState> =>
  new StateFile<ImportState>(
    'imports',
    job,
    ({ end, taskUids }) => Number.isSafeInteger(end) && Array.isArray(taskUids),
    env,
  );

function formOf(file: string, options: GivenOptions): DocumentForm {
  const asked = textOption(options, 'format');
  if (asked !== null && !Object.hasOwn(UPLOAD_MEDIA_TYPES, asked)) {
    const formats = Object.keys(UPLOAD_MEDIA_TYPES).join(', ');
    throw new CommandFailure(`--format must be one of ${formats}`, EXIT.usage);
  }
  const form = documentFormOf(file) ?? {
    format: null,
    isCompressed: file.endsWith('.gz'),
    indexUid: 'documents',
  };
  const format = (asked as UploadFormat | null) ?? form.format;
  if (format === null)
    throw new CommandFailure(`the name ${file} has no known format: set --format`, EXIT.usage);
  return { ...form, format };
}

function pathOf(indexUid: string, format: UploadFormat, options: GivenOptions): string {
  const query = new URLSearchParams();
  const primaryKey = textOption(options, 'primary-key');
  if (primaryKey !== null) query.set('primaryKey', primaryKey);
  const delimiter = csvDelimiter(options, format);
  if (delimiter !== null) query.set('csvDelimiter', delimiter);
  const path = `${indexPath(indexUid)}/documents`;
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

interface RunningBatch {
  /** null = the batch has ended. */
  readonly progress: { readonly percentage: number } | null;
  readonly stats: { readonly totalNbTasks: number };
}

/** The number of tasks that the work done in the batch amounts to. */
async function tasksDoneIn(instance: Instance, { batchUid }: FollowedTask): Promise<number> {
  if (batchUid === null) return 0;
  const { progress, stats } = await instance.request<RunningBatch>('GET', `/batches/${batchUid}`);
  return ((progress?.percentage ?? 0) / 100) * stats.totalNbTasks;
}

async function waitForTasks(
  instance: Instance,
  taskUids: readonly number[],
  file: string,
  terminal: Terminal,
): Promise<{ readonly documents: number; readonly failures: string[] }> {
  let documents = 0;
  const failures: string[] = [];
  const progress = new Progress();
  for (const [done, uid] of taskUids.entries()) {
    const ended = await instance.ended(uid, async (task) => {
      const part = (done + (await tasksDoneIn(instance, task))) / taskUids.length;
      terminal.progress(progress.line(part, `${file}: indexing`));
    });
    documents += Number(ended.details?.['indexedDocuments'] ?? 0);
    if (ended.status !== 'succeeded')
      failures.push(`task ${uid} of ${file}: ${failureReason(ended)}`);
  }
  terminal.progress(null);
  return { documents, failures };
}
