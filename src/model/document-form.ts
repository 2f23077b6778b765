/** Derives the format of documents and the index uid from a file name. */
import type { UploadFormat } from './upload.ts';

export interface DocumentForm {
  readonly format: UploadFormat;
  readonly isCompressed: boolean;
  /** A valid uid. */
  readonly indexUid: string;
}

/** Longer names are cut; the API allows 400 characters. */
const UID_LENGTH = 100;

/** `Bücher (2)` → `Bucher_2`. Letters without a Latin form are left out. */
const uidOf = (stem: string): string =>
  stem
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\w-]+/g, '_')
    .slice(0, UID_LENGTH)
    .replace(/^_+|_+$/g, '');

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
    indexUid: uidOf(stem) || 'documents',
  };
}
