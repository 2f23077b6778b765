/** The outcomes of a task: succeeded, failed or canceled. */
import { toEnvelope, type WireError } from '../../core/errors.ts';
import type { BatchTask } from '../batching/select-batch.ts';
import type { Details } from '../store/stored-task.ts';
import type { TaskOutcome } from '../store/task-store.ts';

const COUNTS = [
  'indexedDocuments',
  'editedDocuments',
  'deletedDocuments',
  'canceledTasks',
  'deletedTasks',
  'updatedRules',
];

/** Details of a failed or canceled task: counts are 0, except the deletions of an edit. */
function withoutCounts(details: Details): Details {
  const kept = 'editedDocuments' in details ? 'deletedDocuments' : null;
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => [
      name,
      COUNTS.includes(name) && name !== kept ? 0 : value,
    ]),
  );
}

export function succeeded({ uid, stored }: BatchTask, results: Details): TaskOutcome {
  return { uid, status: 'succeeded', details: { ...stored.details, ...results }, error: null };
}

export function failed({ uid, stored }: BatchTask, error: WireError): TaskOutcome {
  const details = withoutCounts(stored.details);
  return { uid, status: 'failed', details, error: toEnvelope(error) };
}

export function canceled(uid: number, canceledBy: number): TaskOutcome {
  return { uid, status: 'canceled', details: withoutCounts, error: null, canceledBy };
}
