/** Which form a file's documents have, and which index they go to, by the file's name. */
import type { UploadFormat } from './upload.ts';

export interface DocumentForm {
  readonly format: UploadFormat;
  readonly isCompressed: boolean;
  /** A uid that the API takes. */
  readonly indexUid: string;
}

/** null for names that tell nothing. */
export function documentFormOf(fileName: string): DocumentForm | null {
  const base = fileName.replace(/^.*[/\\]/, '');
  const match = /^(.*?)\.(json|ndjson|jsonl|csv)(\.gz)?$/i.exec(base);
  if (match === null) return null;
  const [, stem = '', extension = '', compressed] = match;
  const name = extension.toLowerCase();
  return {
    format: name === 'jsonl' ? 'ndjson' : (name as UploadFormat),
    isCompressed: compressed !== undefined,
    indexUid: stem.replace(/[^\w-]+/g, '_') || 'documents',
  };
}
