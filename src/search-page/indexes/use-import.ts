/** The steps of an import: sending, indexing, its end or failure, and going on after one. */
import { useState } from 'preact/hooks';
import { humanSize } from '../../core/human-size.ts';
import { DocumentTooLong } from '../../model/document-parts.ts';
import { type ApiClient, ApiFailure } from '../api-client.ts';
import { followImport, type ImportResult } from './follow-import.ts';
import { forgetImport, rememberedImport, rememberImport } from './import-progress.ts';
import { type FileImport, NOTHING_SENT, sendDocuments } from './send-documents.ts';

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

export function useImport(api: ApiClient, onDone: () => void): ImportPort {
  const [stage, setStage] = useState<ImportStage>({ kind: 'choosing' });
  const work = (label: string, part: number | null) => setStage({ kind: 'working', label, part });
  const start = async (job: FileImport, startsOver = false) => {
    work('Sending', 0);
    try {
      const from = startsOver ? NOTHING_SENT : rememberedImport(job);
      const sent = await sendDocuments(api, job, from, (soFar, part) => {
        rememberImport(job, soFar);
        work(`Sent ${humanSize(soFar.end)} in ${soFar.taskUids.length} parts`, part);
      });
      const result = await followImport(api, sent.taskUids, (part) => work('Indexing', part));
      forgetImport(job);
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
