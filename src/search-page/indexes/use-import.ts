/** The steps of an import: sending, indexing, its end or failure, and going on after one. */
import { useState } from 'preact/hooks';
import { humanSize } from '../../core/human-size.ts';
import { isObject, parseJson } from '../../core/json.ts';
import { DocumentTooLong } from '../../model/document-parts.ts';
import { ApiFailure } from '../api-client.ts';
import { followTask } from '../parts/follow-task.ts';
import {
  type FileImport,
  NOTHING_SENT,
  type SentDocuments,
  sendDocuments,
} from './send-documents.ts';

export interface ImportResult {
  readonly documents: number;
  readonly tasks: number;
  /** Of tasks that failed. */
  readonly failures: readonly string[];
}

export type ImportStage =
  | { readonly kind: 'choosing' }
  | { readonly kind: 'working'; readonly label: string; readonly part: number | null }
  | { readonly kind: 'failed'; readonly failure: ApiFailure }
  | { readonly kind: 'done'; readonly job: FileImport; readonly result: ImportResult };

export interface ImportPort {
  readonly stage: ImportStage;
  /** Resumes after what the tab remembers of the file, unless it shall start over. */
  readonly start: (job: FileImport, startsOver?: boolean) => Promise<void>;
  readonly reset: () => void;
}

export function useImport(onDone: () => void): ImportPort {
  const [stage, setStage] = useState<ImportStage>({ kind: 'choosing' });
  const work = (label: string, part: number | null) => setStage({ kind: 'working', label, part });
  const start = async (job: FileImport, startsOver = false) => {
    work('Sending', 0);
    try {
      const from = startsOver ? NOTHING_SENT : rememberedImport(job);
      const sent = await sendDocuments(job, from, (soFar, part) => {
        sessionStorage.setItem(itemOf(job), JSON.stringify(soFar));
        work(`Sent ${humanSize(soFar.end)} in ${soFar.taskUids.length} parts`, part);
      });
      const result = await followImport(sent.taskUids, (part) => work('Indexing', part));
      sessionStorage.removeItem(itemOf(job));
      setStage({ kind: 'done', job, result });
      onDone();
    } catch (error) {
      setStage({ kind: 'failed', failure: importFailure(error) });
    }
  };
  return { stage, start, reset: () => setStage({ kind: 'choosing' }) };
}

/** Reading the file fails too: a damaged archive, a file that was moved. */
function importFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  if (error instanceof DocumentTooLong)
    return new ApiFailure(0, '', `Import failed: ${error.message}.`);
  if (error instanceof TypeError || error instanceof DOMException)
    return new ApiFailure(0, '', `The file cannot be read: ${error.message}`);
  throw error;
}

/** Waits for the tasks of an import and adds up their results. @param onPart receives the finished fraction, 0 to 1 */
async function followImport(
  taskUids: readonly number[],
  onPart: (part: number) => void,
): Promise<ImportResult> {
  let documents = 0;
  const failures: string[] = [];
  for (const [done, taskUid] of taskUids.entries()) {
    try {
      const { details } = await followTask(taskUid, (part) =>
        onPart((done + (part ?? 0)) / taskUids.length),
      );
      documents += Number(details?.['indexedDocuments'] ?? 0);
    } catch (error) {
      // A refused request, such as one with another key, ends the wait; a failed task does not.
      if (!(error instanceof ApiFailure) || error.status !== 0) throw error;
      failures.push(`Part ${done + 1} (task ${taskUid}): ${error.message}`);
    }
  }
  return { documents, tasks: taskUids.length, failures };
}

/** Key of the tab's memory of how far the file came, so that a later choice of it resumes. */
const itemOf = ({ file, indexUid }: FileImport): string =>
  `gannet-import ${JSON.stringify([indexUid, file.name, file.size, file.lastModified])}`;

export function rememberedImport(job: FileImport): SentDocuments {
  const value = parseJson(sessionStorage.getItem(itemOf(job)) ?? '');
  return isObject(value) && Number.isSafeInteger(value['end']) && Array.isArray(value['taskUids'])
    ? { end: value['end'] as number, taskUids: value['taskUids'] as number[] }
    : NOTHING_SENT;
}
