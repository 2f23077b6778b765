/** What a file's name says of its documents, and of the index they go to. Pure. */

export interface DocumentFile {
  readonly contentType: string;
  readonly isCompressed: boolean;
  /** A uid that the API takes. */
  readonly indexUid: string;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  csv: 'text/csv',
};

/** @returns null for a name of a format that is not taken */
export function documentFileOf(fileName: string): DocumentFile | null {
  const match = /^(.*?)\.(json|ndjson|jsonl|csv)(\.gz)?$/i.exec(fileName);
  if (match === null) return null;
  const [, stem = '', format = '', compressed] = match;
  return {
    contentType: CONTENT_TYPES[format.toLowerCase()] ?? '',
    isCompressed: compressed !== undefined,
    indexUid: stem.replace(/[^\w-]+/g, '_') || 'documents',
  };
}
