/**
 * Bytes of a task's row, little-endian:
 *
 *   0 status u8 │ 1 type u8 │ 2 batch u32 │ 6 canceled by u32 │ 10 enqueued f64 │ 18 started f64 │ 26 finished f64 │ 34 index uid UTF-8
 *
 * Status and type are places in `TASK_STATUSES` and `TASK_TYPES`, which only ever grow at the end.
 * Absent numbers are 0xFFFFFFFF, absent dates NaN, no index an empty uid. `processing` is written
 * as `enqueued`.
 */
import { TASK_STATUSES, TASK_TYPES } from '../../model/task.ts';
import { statusNumber, type TaskRow, typeNumber } from './task-table.ts';

const FIXED_BYTES = 34;
const NONE = 0xffffffff;
const decoder = new TextDecoder();

export function encodeRow(row: TaskRow): Uint8Array {
  const uid = new TextEncoder().encode(row.indexUid ?? '');
  const bytes = new Uint8Array(FIXED_BYTES + uid.length);
  const view = new DataView(bytes.buffer);
  const isProcessing = row.status === 'processing';
  view.setUint8(0, statusNumber(isProcessing ? 'enqueued' : row.status));
  view.setUint8(1, typeNumber(row.type));
  view.setUint32(2, isProcessing ? NONE : (row.batchUid ?? NONE), true);
  view.setUint32(6, row.canceledBy ?? NONE, true);
  view.setFloat64(10, row.enqueuedAt, true);
  view.setFloat64(18, isProcessing ? Number.NaN : (row.startedAt ?? Number.NaN), true);
  view.setFloat64(26, row.finishedAt ?? Number.NaN, true);
  bytes.set(uid, FIXED_BYTES);
  return bytes;
}

export function decodeRow(uid: number, bytes: Uint8Array): TaskRow {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const status = TASK_STATUSES[view.getUint8(0)];
  const type = TASK_TYPES[view.getUint8(1)];
  if (status === undefined || type === undefined)
    throw new Error(`the row of task ${uid} is damaged`);
  const number = (at: number) =>
    view.getUint32(at, true) === NONE ? null : view.getUint32(at, true);
  const date = (at: number) =>
    Number.isNaN(view.getFloat64(at, true)) ? null : view.getFloat64(at, true);
  return {
    uid,
    status,
    type,
    indexUid: bytes.length === FIXED_BYTES ? null : decoder.decode(bytes.subarray(FIXED_BYTES)),
    batchUid: number(2),
    canceledBy: number(6),
    enqueuedAt: view.getFloat64(10, true),
    startedAt: date(18),
    finishedAt: date(26),
  };
}
