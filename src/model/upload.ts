/** Document uploads: the forms in which they are sent, and what their first check finds. */
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

/** A payload whose syntax has been checked. */
export interface CheckedPayload {
  /** As it is to be stored. */
  readonly format: PayloadFormat;
  readonly documentCount: number;
}
