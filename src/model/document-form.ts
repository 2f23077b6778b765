/** Derives the format of documents and the index uid from a file name. */
import type { UploadFormat } from './upload.ts';

export interface DocumentForm {
  readonly format: UploadFormat;
  readonly isCompressed: boolean;
  /** A valid uid. */
  readonly indexUid: string;
}

/** null for unknown file names. */
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
