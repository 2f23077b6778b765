/** Remembers in the tab how far the import of a file came, so that a later choice of it resumes. */
import { isObject, parseJson } from '../../core/json.ts';
import { type FileImport, NOTHING_SENT, type SentDocuments } from './send-documents.ts';

const itemOf = ({ file, indexUid }: Pick<FileImport, 'file' | 'indexUid'>): string =>
  `gannet-import ${JSON.stringify([indexUid, file.name, file.size, file.lastModified])}`;

export function rememberedImport(job: Pick<FileImport, 'file' | 'indexUid'>): SentDocuments {
  const value = parseJson(sessionStorage.getItem(itemOf(job)) ?? '');
  return isObject(value) && Number.isSafeInteger(value['end']) && Array.isArray(value['taskUids'])
    ? { end: value['end'] as number, taskUids: value['taskUids'] as number[] }
    : NOTHING_SENT;
}

export const rememberImport = (job: FileImport, sent: SentDocuments): void =>
  sessionStorage.setItem(itemOf(job), JSON.stringify(sent));

export const forgetImport = (job: FileImport): void => sessionStorage.removeItem(itemOf(job));
