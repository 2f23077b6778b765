/** The request that repeats a task, from what the API shows of it. Pure. */
import { isObject, type Json, objectOf, parseJson, textOrNull } from '../../core/json.ts';

export interface Retry {
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly body?: unknown;
}

export interface EndedTask {
  readonly type: string;
  readonly status: string;
  readonly indexUid: string | null;
  readonly details?: Json | null;
}

type RetryOf = (path: string, details: Json, indexUid: string | null) => Retry | null;

/** Whether a member of a provider, or one within it, is a secret, which tasks show masked. */
function isSecret(name: string, value: unknown): boolean {
  if (name === 'apiKey') return value !== null;
  if (name === 'url') return typeof value === 'string' && hasCredentials(value);
  if (!isObject(value)) return false;
  const members = Object.entries(value);
  return name === 'headers' ? members.length > 0 : members.some((member) => isSecret(...member));
}

function hasCredentials(url: string): boolean {
  const { username = '', password = '' } = URL.canParse(url) ? new URL(url) : {};
  return `${username}${password}` !== '';
}

const areRepeatable = ({ embedders, rerankers }: Json): boolean =>
  !isSecret('embedders', embedders) && !isSecret('rerankers', rerankers);

/** Not document additions, whose documents are gone, and not the deletion of whole indexes. */
const RETRIES: Readonly<Record<string, RetryOf>> = {
  settingsUpdate: (path, details) =>
    areRepeatable(details) ? { method: 'PATCH', path: `${path}/settings`, body: details } : null,
  indexCreation: (_, { primaryKey = null }, uid) => ({
    method: 'POST',
    path: 'indexes',
    body: { uid, primaryKey },
  }),
  indexBranch: (_, { source, settings }, uid) =>
    areRepeatable(objectOf(settings))
      ? {
          method: 'POST',
          path: `indexes/${encodeURIComponent(String(source))}/branches`,
          body: { uid, settings },
        }
      : null,
  indexUpdate: (path, { primaryKey }) => ({ method: 'PATCH', path, body: { primaryKey } }),
  indexSwap: (_, { swaps }) => ({ method: 'POST', path: 'swap-indexes', body: swaps }),
  indexCompaction: (path) => ({ method: 'POST', path: `${path}/compact` }),
  documentDeletion: (path, { originalFilter }) => {
    const filter = parseJson(textOrNull(originalFilter) ?? 'null');
    return filter === null || filter === undefined
      ? null
      : { method: 'POST', path: `${path}/documents/delete`, body: { filter } };
  },
  dumpCreation: () => ({ method: 'POST', path: 'dumps' }),
  snapshotCreation: () => ({ method: 'POST', path: 'snapshots' }),
};

/** null if the task is not over, has succeeded, or cannot be repeated from here. */
export function retryOf({ type, status, indexUid, details }: EndedTask): Retry | null {
  if (status !== 'failed' && status !== 'canceled') return null;
  const path = `indexes/${encodeURIComponent(indexUid ?? '')}`;
  return RETRIES[type]?.(path, objectOf(details), indexUid) ?? null;
}
