/** Updates and resets settings, and batches of these tasks with clears in between. */

import type { CatalogChange } from '../../catalog/index-catalog.ts';
import { errorCodes } from '../../core/error-codes.ts';
import type { WireError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';

import { dumpedKinds } from '../../dumps/format/dump-kinds.ts';
import {
  applySettings,
  normalizeSettingsUpdate,
  resetOfAllSettings,
} from '../../model/apply-settings.ts';
import type { BatchProgress } from '../../model/batch-progress.ts';
import { type IndexManifest, liveDocumentCount, NO_CONTENT } from '../../model/index-manifest.ts';
import { maskedProviders } from '../../model/masked-providers.ts';
import { shownWarnings } from '../../model/secret-origin.ts';
import { portableUpdate, type Settings, type SettingsUpdate } from '../../model/settings.ts';
import type { BatchTask, SelectedBatch } from '../batching/select-batch.ts';
import type { IndexWriterPort } from '../processing/index-writers.ts';
import {
  type BatchContext,
  type PreparedBatch,
  toTaskError,
  withWriter,
} from '../processing/prepared-batch.ts';
import { failed, succeeded } from '../processing/task-outcomes.ts';
import type { Details, TaskWork } from '../store/stored-task.ts';
import type { TaskOutcome } from '../store/task-store.ts';
import { clearOutcomes } from './document-deletion.ts';
import type { DraftOf, MergedKind } from './task-kind.ts';

interface SettingsWork extends TaskWork {
  readonly type: 'settingsUpdate';
  readonly settings: SettingsUpdate;
  readonly isReset: boolean;
  readonly allowIndexCreation: boolean;
}

export const settingsUpdate: MergedKind<DraftOf<'settingsUpdate'>, SettingsWork> = {
  turn: 'merged',

  create({ type, settings: given, isReset, allowIndexCreation }) {
    const isWhole = isReset && isOfAll(given);
    const settings = normalizeSettingsUpdate(isWhole ? resetOfAllSettings() : given);
    const details = shownSettings(isWhole ? portableUpdate(settings) : settings);
    return { work: { type, settings, isReset, allowIndexCreation }, details };
  },

  dumped: ({ settings, isReset, allowIndexCreation }) =>
    dumpedKinds.settings({
      settings: isReset && isOfAll(settings) ? portableUpdate(settings) : settings,
      isReset,
      allowIndexCreation,
    }),

  candidate({ isReset, allowIndexCreation }) {
    return { kind: 'settings', allowIndexCreation: !isReset && allowIndexCreation, bytes: 0 };
  },
};

/** True for a reset of all settings: it names no member, or all that its sender knew. */
const isOfAll = (reset: SettingsUpdate): boolean => Object.keys(reset).length !== 1;

/** The settings as sent, with secrets masked. */
export function shownSettings(settings: SettingsUpdate): Details {
  const { embedders, rerankers } = settings;
  return {
    ...settings,
    ...(isObject(embedders) && { embedders: maskedProviders(embedders) }),
    ...(isObject(rerankers) && { rerankers: maskedProviders(rerankers) }),
  };
}

const isSettingsUpdate = (task: BatchTask): task is BatchTask<SettingsWork> =>
  task.work.type === 'settingsUpdate';

/** @param catalog contains the index */
export async function changeSettings(
  { tasks, kind }: SelectedBatch,
  uid: string,
  catalog: CatalogChange,
  context: BatchContext,
): Promise<PreparedBatch> {
  const clears = kind === 'clearAndSettings';
  const index = catalog.must(uid);
  const { settings, errors, warnings } = foldSettings(tasks, index.settings, context);
  const outcomes = (error: WireError | null): TaskOutcome[] => {
    const cleared = clears ? clearOutcomes(tasks, liveDocumentCount(index)) : [];
    return tasks.map((task, i) => {
      const own = errors.get(task.uid) ?? error;
      return own === null
        ? (cleared[i] ?? succeeded(task, shownWarnings(warnings.get(task.uid) ?? [])))
        : failed(task, own);
    });
  };
  const done = outcomes(null);
  if (done.every(({ status }) => status === 'failed')) return { outcomes: done, catalog };
  try {
    const before = clears ? { ...index, ...NO_CONTENT } : index;
    const written = await write(settings, before, catalog, context);
    if (clears) catalog.update(uid, NO_CONTENT);
    return { outcomes: done, catalog, ...written };
  } catch (failure) {
    const error = toTaskError(failure, context);
    const isToBeSplit = errorCodes[error.code].type === 'invalid_request';
    return { outcomes: outcomes(error), catalog, isToBeSplit };
  }
}

/** Changes the settings of the index, and its segments as far as they need other files. */
async function write(
  folded: Settings,
  { uid, settings: stored, segments }: IndexManifest,
  catalog: CatalogChange,
  context: BatchContext,
): Promise<Pick<PreparedBatch, 'written'>> {
  const { progress, nowText: updatedAt } = context;
  const settings = await withNormalizedWords(folded, { uid, settings: stored }, catalog, context);
  const rebuilds = segments.length > 0 && !isSame(settings, stored);
  const isOfModels = (['embedders', 'rerankers'] as const).some(
    (name) => !isSame(settings[name], stored[name]),
  );
  if (!rebuilds && !isOfModels) {
    catalog.update(uid, { settings, segments, updatedAt });
    return {};
  }
  progress.plan(rebuilds ? ['building segments', 'committing'] : ['committing']);
  const { change, written } = await withWriter(uid, catalog, context, (writer) =>
    withFiles(writer, { settings, segments, rebuilds }, progress),
  );
  catalog.update(uid, { settings: change.settings, segments: change.segments, updatedAt });
  return { written };
}

interface FilesChange extends Pick<IndexManifest, 'settings' | 'segments'> {
  /** False = all segments have the files that the settings need. */
  readonly rebuilds: boolean;
}

/** The settings with details of their models, and the segments with the files that they need. */
export async function withFiles(
  writer: IndexWriterPort,
  { settings: normalized, segments, rebuilds }: FilesChange,
  progress: BatchProgress,
): Promise<Pick<IndexManifest, 'settings' | 'segments'> & { changeIds: readonly string[] }> {
  const settings = await writer.completedSettings(normalized, progress);
  if (!rebuilds) return { settings, segments, changeIds: [] };
  return { ...(await writer.applySettings(settings, progress)), settings };
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The settings with new lists of words in the form in which they are compared. */
async function withNormalizedWords(
  settings: Settings,
  { uid, settings: stored }: Pick<IndexManifest, 'uid' | 'settings'>,
  catalog: CatalogChange,
  context: BatchContext,
): Promise<Settings> {
  const isStored =
    settings.stopWords === stored.stopWords &&
    settings.typoTolerance.disableOnWords === stored.typoTolerance.disableOnWords;
  if (isStored) return settings;
  const { change, written } = await withWriter(uid, catalog, context, async (writer) => ({
    settings: await writer.normalizedSettings(settings, stored),
    changeIds: [],
  }));
  written.release();
  return change.settings;
}

/** Applies all updates in task order; a failed update changes nothing. */
function foldSettings(
  tasks: readonly BatchTask[],
  stored: Settings,
  context: BatchContext,
): {
  settings: Settings;
  errors: ReadonlyMap<number, WireError>;
  warnings: ReadonlyMap<number, readonly string[]>;
} {
  let settings = stored;
  const errors = new Map<number, WireError>();
  const warnings = new Map<number, readonly string[]>();
  for (const task of tasks) {
    if (!isSettingsUpdate(task)) continue;
    try {
      const own: string[] = [];
      settings = applySettings(settings, task.work.settings, own);
      warnings.set(task.uid, own);
    } catch (error) {
      errors.set(task.uid, toTaskError(error, context));
    }
  }
  return { settings, errors, warnings };
}
