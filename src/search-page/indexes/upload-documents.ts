/**
 * Uploads a file to an index with XMLHttpRequest, because `fetch` does not report upload progress.
 */

import type { DocumentForm } from '../../model/document-form.ts';
import { UPLOAD_MEDIA_TYPES } from '../../model/upload.ts';
import { type ApiClient, ApiFailure, failureOf } from '../api-client.ts';

export interface Upload {
  readonly indexUid: string;
  readonly primaryKey: string;
  readonly source: DocumentForm;
  readonly file: Blob;
}

/**
 * @param onSent receives the fraction sent, 0 to 1
 * @returns uid of the task
 * @throws ApiFailure
 */
export function uploadDocuments(
  api: ApiClient,
  { indexUid, primaryKey, source, file }: Upload,
  onSent: (part: number) => void,
): Promise<number> {
  const query = primaryKey === '' ? '' : `?primaryKey=${encodeURIComponent(primaryKey)}`;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `indexes/${encodeURIComponent(indexUid)}/documents${query}`);
    request.setRequestHeader('Content-Type', UPLOAD_MEDIA_TYPES[source.format]);
    if (source.isCompressed) request.setRequestHeader('Content-Encoding', 'gzip');
    for (const [name, value] of Object.entries(api.authorization))
      request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onSent(total === 0 ? 1 : loaded / total);
    request.onerror = () =>
      reject(new ApiFailure(0, 'unreachable', 'The server stopped answering.'));
    request.onload = () => {
      if (request.status !== 202) return reject(failureOf(request.status, request.responseText));
      resolve((JSON.parse(request.responseText) as { taskUid: number }).taskUid);
    };
    request.send(file);
  });
}
