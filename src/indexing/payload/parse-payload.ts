/**
 * First pass over one payload: checks every document and records its id and byte range; keeps no
 * objects.
 */

import { doubled } from '../../core/doubled.ts';
import { ApiError, CorruptionError, toWire, type WireError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { JsonError, lineAndColumn } from '../../engine/json/json-error.ts';
import type { JsonTape } from '../../engine/json/json-tape.ts';
import { PayloadReader } from '../../engine/json/payload-reader.ts';
import type { BatchProgress } from '../../model/batch-progress.ts';
import type { Settings } from '../../model/settings.ts';
import type { PayloadFormat } from '../../model/task.ts';
import { documentChecks } from '../../segments/components.ts';
import type { DocumentCheck } from '../../segments/contract/component.ts';
import { FieldTree } from '../../segments/documents/field-tree.ts';
import { NO_TEXT } from '../../segments/documents/text-rules.ts';
import { IdReader, inferPrimaryKey } from './primary-key.ts';

export const FIELDS_MAX = limits.fieldsPerIndexMax;

export interface ParsedPayload {
  /** Non-null: a document is invalid, and the other members have no meaning. */
  readonly error: WireError | null;
  /** The key used: the given or inferred one; null when there was no document to infer it from. */
  readonly primaryKey: string | null;
  /** Document `i` has this id, and its bytes are `[ranges[2i], ranges[2i + 1])`. */
  readonly ids: readonly string[];
  readonly ranges: Uint32Array;
  /** Distinct flattened field names. */
  readonly fieldPaths: readonly string[];
}

/** Result of a payload that cannot be used. */
const NOTHING_PARSED = { ids: [], ranges: new Uint32Array(0), fieldPaths: [] } as const;

interface PayloadRules {
  /** Of the index or of the task; null = infer it from the first document. */
  readonly primaryKey: string | null;
  /** Of each document, in the order in which their errors are reported. */
  readonly checks: readonly DocumentCheck[];
  readonly progress: BatchProgress;
}

/** @throws BatchCanceled */
export function parsePayload(
  bytes: Uint8Array,
  format: PayloadFormat,
  { primaryKey, checks, progress }: PayloadRules,
): ParsedPayload {
  const reader = new PayloadReader(bytes, format);
  const fields = new FieldTree(NO_TEXT);
  const ids: string[] = [];
  let ranges = new Uint32Array(512);
  let idReader = primaryKey === null ? null : new IdReader(primaryKey);
  let usedKey = primaryKey;
  const failures = new FirstFailures(checks);
  try {
    while (reader.next()) {
      progress.throwIfCanceled();
      progress.advance();
      if (idReader === null) {
        usedKey = inferPrimaryKey(reader.tape);
        idReader = new IdReader(usedKey);
      }
      const at = ids.length * 2;
      const id = idReader.read(reader.tape, reader.count);
      ids.push(id);
      failures.check(reader.tape, id);
      if (at === ranges.length) ranges = doubled(ranges);
      ranges[at] = reader.start;
      ranges[at + 1] = reader.end;
      fields.notice(reader.tape, FIELDS_MAX);
      if (fields.fieldCount > FIELDS_MAX)
        throw tooManyFields(`Document ${reader.count} of the payload`);
    }
    failures.throwFirst();
  } catch (error) {
    return { ...NOTHING_PARSED, error: toPayloadError(error, bytes), primaryKey: usedKey };
  }
  return {
    error: null,
    primaryKey: usedKey,
    ids,
    ranges: ranges.slice(0, ids.length * 2),
    fieldPaths: fields.paths(),
  };
}

/** The first failure of each check: a bad id in any document is reported before these. */
class FirstFailures {
  readonly #checks: readonly DocumentCheck[];
  readonly #errors = new Map<DocumentCheck, unknown>();

  constructor(checks: readonly DocumentCheck[]) {
    this.#checks = checks;
  }

  check(tape: JsonTape, id: string): void {
    for (const check of this.#checks) {
      if (this.#errors.has(check)) continue;
      try {
        check(tape, () => id);
      } catch (error) {
        this.#errors.set(check, error);
      }
    }
  }

  throwFirst(): void {
    for (const check of this.#checks) if (this.#errors.has(check)) throw this.#errors.get(check);
  }
}

export const tooManyFields = (what: string): ApiError =>
  new ApiError(
    'max_fields_limit_exceeded',
    `${what} brings the index to more than ${FIELDS_MAX} distinct field names`,
  );

function toPayloadError(error: unknown, bytes: Uint8Array): WireError {
  if (error instanceof JsonError) {
    const { line, column } = lineAndColumn(bytes, error.offset);
    return {
      code: 'malformed_payload',
      message: `The payload is malformed: ${error.reason} (line ${line}, column ${column}, byte ${error.offset})`,
    };
  }
  if (error instanceof ApiError) return toWire(error);
  throw error;
}

interface TaskPayload {
  readonly taskUid: number;
  readonly format: PayloadFormat;
  readonly wereStored: boolean;
}

interface ParseContext {
  readonly primaryKey: string | null;
  readonly settings: Settings;
  readonly progress: BatchProgress;
}

/** @param bytes called once, so that its error becomes the task's own error */
export function parseTaskPayload(
  { taskUid, format, wereStored }: TaskPayload,
  bytes: () => Uint8Array,
  { primaryKey, settings, progress }: ParseContext,
): ParsedPayload {
  try {
    const checks = documentChecks(settings, wereStored);
    return parsePayload(bytes(), format, { primaryKey, checks, progress });
  } catch (error) {
    if (error instanceof CorruptionError) {
      const message = `The payload of task ${taskUid} has to be sent again: ${error.message}`;
      return { ...NOTHING_PARSED, error: { code: toWire(error).code, message }, primaryKey };
    }
    if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
    const message = `The payload of task ${taskUid} is not in the spool folder any more`;
    return { ...NOTHING_PARSED, error: { code: 'internal', message }, primaryKey };
  }
}
