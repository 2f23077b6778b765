/** Document uploads: their formats, and the result of their first check. */
import type { PayloadFormat } from './task.ts';

/** CSV is stored as NDJSON. */
export type UploadFormat = PayloadFormat | 'csv';

export const UPLOAD_MEDIA_TYPES: Readonly<Record<UploadFormat, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
};

export interface UploadOptions {
  readonly format: UploadFormat;
  /** One ASCII character; used with `csv` only. */
  readonly csvDelimiter: string;
}

/** A syntactically checked payload. */
export interface CheckedPayload {
  readonly format: PayloadFormat;
  readonly documentCount: number;
}
