/** Which form a file's documents have, by its name. Pure. */

export const DOCUMENT_FORMATS = ['json', 'ndjson', 'csv'] as const;
export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number];

export interface DocumentForm {
  readonly format: DocumentFormat;
  readonly isCompressed: boolean;
  /** An index uid made of the name. */
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
    format: name === 'jsonl' ? 'ndjson' : (name as DocumentFormat),
    isCompressed: compressed !== undefined,
    indexUid: stem.replace(/[^\w-]+/g, '_') || 'documents',
  };
}

export const CONTENT_TYPES: Readonly<Record<DocumentFormat, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
};
