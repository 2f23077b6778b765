/**
 * Sends a file of any size in parts, each a request of its own. When the server finds a part too
 * large, the rest is sent in smaller ones; after a failure an import goes on with the part that
 * failed.
 */
import type { DocumentForm } from '../../model/document-form.ts';
import { type DocumentPart, inLinesOfFile, partsOfDocuments } from '../../model/document-parts.ts';
import { UPLOAD_MEDIA_TYPES } from '../../model/upload.ts';
import { ApiFailure, api } from '../api-client.ts';
import { readFile } from './read-file.ts';

export interface FileImport {
  readonly file: File;
  readonly source: DocumentForm;
  readonly indexUid: string;
  readonly primaryKey: string;
  readonly csvDelimiter: string;
  /** True if fields are added to existing documents. */
  readonly isUpdate: boolean;
}

/** Parts that the server has acknowledged. */
export interface SentDocuments {
  /** Bytes of the unpacked file. */
  readonly end: number;
  readonly taskUids: readonly number[];
}

export const NOTHING_SENT: SentDocuments = { end: 0, taskUids: [] };

const MIB = 1024 ** 2;
const PART_BYTES = 8 * MIB;
/** A server that refuses less than this refuses a single document. */
const PART_BYTES_MIN = 32 * 1024;
/** A refused part is divided by this. */
const SMALLER = 4;

/**
 * @param from what an earlier run has sent
 * @param onSent receives the state after each part, and the fraction of the file that was read
 * @throws ApiFailure whose message names lines of the file
 */
export async function sendDocuments(
  job: FileImport,
  from: SentDocuments,
  onSent: (sent: SentDocuments, part: number) => void,
): Promise<SentDocuments> {
  let sent = from;
  for (let partBytes = PART_BYTES; ; partBytes /= SMALLER) {
    const { bytes, part: fractionRead } = readFile(job.file, job.source.isCompressed);
    let refused: DocumentPart | null = null;
    for await (const part of partsOfDocuments(bytes, job.source.format, partBytes, sent.end)) {
      const taskUid = await post(job, part);
      if (taskUid === null) {
        refused = part;
        break;
      }
      sent = { end: part.end, taskUids: [...sent.taskUids, taskUid] };
      onSent(sent, fractionRead());
    }
    if (refused === null) return sent;
    if (partBytes <= PART_BYTES_MIN) throw tooLarge(refused.bytes.length, job);
  }
}

/** @returns uid of the task; null if the part is too large for the server */
async function post(
  { source, indexUid, primaryKey, csvDelimiter, isUpdate }: FileImport,
  part: DocumentPart,
): Promise<number | null> {
  const query = new URLSearchParams();
  if (primaryKey !== '') query.set('primaryKey', primaryKey);
  if (source.format === 'csv') query.set('csvDelimiter', csvDelimiter);
  const path = `indexes/${encodeURIComponent(indexUid)}/documents?${query}`;
  const request = { bytes: part.bytes, contentType: UPLOAD_MEDIA_TYPES[source.format] };
  try {
    const method = isUpdate ? 'PUT' : 'POST';
    return (await api.request<{ taskUid: number }>(method, path, request)).taskUid;
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    if (error.code === 'payload_too_large') return null;
    throw new ApiFailure(error.status, error.code, inLinesOfFile(error.message, part));
  }
}

function tooLarge(bytes: number, { file, indexUid }: FileImport): ApiFailure {
  const mib = Math.ceil(bytes / MIB);
  return new ApiFailure(
    0,
    'payload_too_large',
    `A document of ${file.name} has ${mib} MiB, more than the server takes in one request. Start the server with the option --http-payload-size-limit ${mib + 1}MiB, then resume here or run: gannet import ${file.name} --index ${indexUid}`,
  );
}
