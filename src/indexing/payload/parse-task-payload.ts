/** Parses the payload of a task; a missing or damaged file fails its own task only. */
import { CorruptionError, toWire } from '../../core/errors.ts';
import type { BatchProgress } from '../../model/batch-progress.ts';
import type { Settings } from '../../model/settings.ts';
import type { PayloadFormat } from '../../model/task.ts';
import { documentCheck } from '../../segments/components.ts';
import { NOTHING_PARSED, type ParsedPayload, parsePayload } from './parse-payload.ts';

interface TaskPayload {
  readonly taskUid: number;
  readonly format: PayloadFormat;
}

interface ParseContext {
  readonly primaryKey: string | null;
  readonly settings: Settings;
  readonly progress: BatchProgress;
}

/** @param bytes called once, so that its error becomes the task's own error */
export function parseTaskPayload(
  { taskUid, format }: TaskPayload,
  bytes: () => Uint8Array,
  { primaryKey, settings, progress }: ParseContext,
): ParsedPayload {
  try {
    return parsePayload(bytes(), format, primaryKey, documentCheck(settings), progress);
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
