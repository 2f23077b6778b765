/**
 * First check of a document payload, before a task is created: syntax, number of documents, CSV
 * converted to NDJSON.
 */
import { concatBytes } from '../../core/concat-bytes.ts';
import { ApiError } from '../../core/errors.ts';
import { convertCsv } from '../../csv/csv-to-ndjson.ts';
import { JsonError, lineAndColumn } from '../../engine/json/json-error.ts';
import { PayloadReader } from '../../engine/json/payload-reader.ts';
import {
  type CheckedPayload,
  UPLOAD_MEDIA_TYPES,
  type UploadFormat,
  type UploadOptions,
} from '../../model/upload.ts';

/** Offsets into a payload are unsigned 32-bit numbers; a CSV that grows beyond this is refused. */
const CONVERTED_BYTES_MAX = 1 << 30;

/**
 * Checks a payload held in memory; `bytes` is set when it was converted. @throws ApiError
 * malformed_payload
 */
export function checkPayload(
  bytes: Uint8Array,
  options: UploadOptions,
): CheckedPayload & { readonly bytes?: Uint8Array } {
  const chunks: Uint8Array[] = [];
  const checked = checkPayloadTo(bytes, options, (chunk) => chunks.push(chunk.slice()));
  return options.format === 'csv' ? { ...checked, bytes: concatBytes(chunks) } : checked;
}

/** The same; converted bytes go to `write` chunk by chunk, each valid during the call only. */
export function checkPayloadTo(
  bytes: Uint8Array,
  { format, csvDelimiter }: UploadOptions,
  write: (chunk: Uint8Array) => void,
): CheckedPayload {
  try {
    if (format === 'csv')
      return { format: 'ndjson', documentCount: convertBounded(bytes, csvDelimiter, write) };
    const reader = new PayloadReader(bytes, format);
    while (reader.next());
    return { format, documentCount: reader.count };
  } catch (error) {
    if (error instanceof JsonError) throw malformed(bytes, error, format);
    throw error;
  }
}

function convertBounded(
  bytes: Uint8Array,
  delimiter: string,
  write: (chunk: Uint8Array) => void,
): number {
  let written = 0;
  return convertCsv(bytes, delimiter.charCodeAt(0), (chunk) => {
    written += chunk.length;
    if (written > CONVERTED_BYTES_MAX) {
      throw new ApiError(
        'payload_too_large',
        `The CSV payload converts to more than ${CONVERTED_BYTES_MAX} bytes of JSON`,
      );
    }
    write(chunk);
  });
}

function malformed(bytes: Uint8Array, error: JsonError, format: UploadFormat): ApiError {
  const { line, column } = lineAndColumn(bytes, error.offset);
  const message = `The \`${UPLOAD_MEDIA_TYPES[format]}\` payload is malformed: ${error.reason} (line ${line}, column ${column}, byte ${error.offset})`;
  return new ApiError('malformed_payload', message, { cause: error });
}
