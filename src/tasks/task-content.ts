/** What a task asks for as it is stored, and the `details` it shows before and after. Large contents are kept beside the record. */

import { normalizeSettingsUpdate, resetOfAllSettings } from '../catalog/apply-settings.ts';
import type { ErrorEnvelope } from '../core/errors.ts';
import type { SettingsUpdate } from '../model/settings.ts';
import type { DocumentEdition, PayloadFormat, TaskDraft, TaskType } from '../model/task.ts';

export type Details = Readonly<Record<string, unknown>>;

export interface IndexSwap {
  readonly indexes: readonly [string, string];
  readonly rename: boolean;
}

/** `beside`: the bytes are the value of the task's payload key. `bytes` counts against the size limit of batches. */
export type ContentPlace =
  | { readonly kind: 'beside'; readonly bytes: number }
  | { readonly kind: 'file'; readonly name: string; readonly bytes: number };

export type TaskWork =
  | {
      readonly type: 'documentAdditionOrUpdate';
      readonly method: 'replace' | 'update';
      readonly primaryKey: string | null;
      readonly skipCreation: boolean;
      readonly format: PayloadFormat;
      readonly allowIndexCreation: boolean;
      readonly content: ContentPlace;
    }
  /** null = all documents; else the ids are beside, as a JSON array, or the filter, as JSON, when there is one. */
  | { readonly type: 'documentDeletion'; readonly content: ContentPlace | null; readonly hasFilter?: true }
  /** The `DocumentEdition` is beside, as JSON. */
  | { readonly type: 'documentEdition'; readonly content: ContentPlace }
  | {
      readonly type: 'settingsUpdate';
      readonly settings: SettingsUpdate;
      readonly isReset: boolean;
      readonly allowIndexCreation: boolean;
    }
  | { readonly type: 'indexCreation'; readonly primaryKey: string | null }
  | { readonly type: 'indexUpdate'; readonly primaryKey: string | null; readonly newUid: string | null }
  | { readonly type: 'indexDeletion' }
  | { readonly type: 'indexSwap'; readonly swaps: readonly IndexSwap[] }
  /** What the query matched when the task came in, as [first uid, last uid, …]. */
  | { readonly type: 'taskCancelation'; readonly matched: readonly number[] }
  | { readonly type: 'taskDeletion'; readonly matched: readonly number[] };

/** The record of a task apart from its row in the task table. */
export interface StoredTask {
  /** null once the task is finished. */
  readonly work: TaskWork | null;
  readonly details: Details;
  readonly error: ErrorEnvelope | null;
  readonly customMetadata?: string;
}

export interface NewTask {
  readonly type: TaskType;
  readonly indexUid: string | null;
  readonly stored: StoredTask;
  /** Content to keep beside the record. */
  readonly beside: Uint8Array | null;
}

/** @param matched uids that the query of a cancelation or deletion matches now, ascending */
export function toNewTask(draft: TaskDraft, matched: readonly number[]): NewTask {
  const { work, beside } = toWork(draft, matched);
  const metadata = draft.customMetadata === undefined ? {} : { customMetadata: draft.customMetadata };
  return {
    type: draft.type,
    indexUid: 'indexUid' in draft ? draft.indexUid : null,
    stored: { work, details: initialDetails(draft, matched.length), error: null, ...metadata },
    beside,
  };
}

function toWork(draft: TaskDraft, matched: readonly number[]): { work: TaskWork; beside: Uint8Array | null } {
  switch (draft.type) {
    case 'documentAdditionOrUpdate':
      return additionWork(draft);
    case 'documentDeletion': {
      if (draft.by.kind === 'all') return { work: { type: draft.type, content: null }, beside: null };
      const isFilter = draft.by.kind === 'filter';
      const beside = Buffer.from(JSON.stringify(draft.by.kind === 'filter' ? draft.by.filter : draft.by.ids));
      const content = { kind: 'beside', bytes: beside.length } as const;
      return { work: { type: draft.type, content, ...(isFilter && { hasFilter: true }) }, beside };
    }
    case 'documentEdition': {
      const { function: source, filter, context } = draft;
      const beside = Buffer.from(JSON.stringify({ function: source, filter, context } satisfies DocumentEdition));
      return { work: { type: draft.type, content: { kind: 'beside', bytes: beside.length } }, beside };
    }
    case 'settingsUpdate': {
      const { type, isReset, allowIndexCreation } = draft;
      return { work: { type, settings: settingsOf(draft), isReset, allowIndexCreation }, beside: null };
    }
    case 'indexCreation':
      return { work: { type: draft.type, primaryKey: draft.primaryKey }, beside: null };
    case 'indexUpdate':
      return { work: { type: draft.type, primaryKey: draft.primaryKey, newUid: draft.newUid }, beside: null };
    case 'indexDeletion':
      return { work: { type: draft.type }, beside: null };
    case 'indexSwap':
      return { work: { type: draft.type, swaps: draft.swaps }, beside: null };
    case 'taskCancelation':
    case 'taskDeletion':
      return { work: { type: draft.type, matched: toRanges(matched) }, beside: null };
  }
}

function additionWork(draft: Extract<TaskDraft, { type: 'documentAdditionOrUpdate' }>): {
  work: TaskWork;
  beside: Uint8Array | null;
} {
  const { type, method, primaryKey, skipCreation, format, allowIndexCreation, payload } = draft;
  const beside = payload.kind === 'inline' ? Buffer.from(payload.base64, 'base64') : null;
  const content: ContentPlace =
    payload.kind === 'file' ? payload : { kind: 'beside', bytes: beside === null ? 0 : beside.length };
  return { work: { type, method, primaryKey, skipCreation, format, allowIndexCreation, content }, beside };
}

function initialDetails(draft: TaskDraft, matchedTasks: number): Details {
  switch (draft.type) {
    case 'documentAdditionOrUpdate':
      return { receivedDocuments: draft.documentCount, indexedDocuments: null };
    case 'documentDeletion':
      if (draft.by.kind === 'all') return { deletedDocuments: null };
      if (draft.by.kind === 'filter')
        return { providedIds: 0, deletedDocuments: null, originalFilter: JSON.stringify(draft.by.filter) };
      return { providedIds: draft.by.ids.length, deletedDocuments: null, originalFilter: null };
    case 'documentEdition': {
      const { function: source, filter, context } = draft;
      const originalFilter = filter === null ? null : JSON.stringify(filter);
      return { deletedDocuments: null, editedDocuments: null, originalFilter, context, function: source };
    }
    case 'settingsUpdate':
      return maskKeys(settingsOf(draft));
    case 'indexCreation':
      return { primaryKey: draft.primaryKey };
    case 'indexUpdate': {
      const { primaryKey, newUid, indexUid } = draft;
      return { primaryKey, ...(newUid !== null && { newIndexUid: newUid, oldIndexUid: indexUid }) };
    }
    case 'indexDeletion':
      return { deletedDocuments: null };
    case 'indexSwap':
      return { swaps: draft.swaps.map(({ indexes, rename }) => ({ indexes, rename })) };
    case 'taskCancelation':
      return { matchedTasks, canceledTasks: null, originalFilter: draft.originalFilter };
    case 'taskDeletion':
      return { matchedTasks, deletedTasks: null, originalFilter: draft.originalFilter };
  }
}

/** A reset that names no member resets all of them. */
function settingsOf({ settings, isReset }: Extract<TaskDraft, { type: 'settingsUpdate' }>): SettingsUpdate {
  const isWhole = isReset && Object.keys(settings).length === 0;
  return normalizeSettingsUpdate(isWhole ? resetOfAllSettings() : settings);
}

/** Hides the API keys of embedders but for their beginning. */
function maskKeys(settings: SettingsUpdate): Details {
  const { embedders } = settings;
  if (typeof embedders !== 'object' || embedders === null) return settings as Details;
  const masked = Object.entries(embedders).map(([name, embedder]) => {
    const key: unknown = (embedder as { apiKey?: unknown } | null)?.apiKey;
    return [name, typeof key === 'string' ? { ...embedder, apiKey: maskKey(key) } : embedder];
  });
  return { ...settings, embedders: Object.fromEntries(masked) };
}

function maskKey(key: string): string {
  const shown = key.length <= 12 ? Math.min(2, key.length) : 5;
  return `${key.slice(0, shown)}XXX...`;
}

/** Details of a task that did not succeed: what it would have counted is 0. */
export function withoutCounts(details: Details): Details {
  const counts = ['indexedDocuments', 'editedDocuments', 'deletedDocuments', 'canceledTasks', 'deletedTasks'];
  return Object.fromEntries(Object.entries(details).map(([name, value]) => [name, counts.includes(name) ? 0 : value]));
}

/** Ascending numbers as [first, last, first, last, …] of their runs. */
export function toRanges(uids: readonly number[]): number[] {
  const ranges: number[] = [];
  for (const uid of uids) {
    if (ranges.length > 0 && ranges[ranges.length - 1] === uid - 1) ranges[ranges.length - 1] = uid;
    else ranges.push(uid, uid);
  }
  return ranges;
}

/** Whether `toRanges` was given the number; O(log ranges). */
export function rangesInclude(ranges: readonly number[], uid: number): boolean {
  let low = 0;
  let high = ranges.length / 2;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle * 2 + 1] ?? 0) < uid) low = middle + 1;
    else high = middle;
  }
  return low * 2 < ranges.length && (ranges[low * 2] ?? 0) <= uid;
}
