/** Which routes only the node that writes can answer, where several nodes share an object store. */
import type { Action } from '../../model/actions.ts';
import type { Route } from './route.ts';

/** Actions of routes that read although their method is not GET. */
const READS: ReadonlySet<Action | null> = new Set<Action | null>([
  null,
  'chatCompletions',
  'documents.get',
  'dynamicSearchRules.get',
  'fields.post',
  'metrics.get',
  'search',
  'settings.get',
]);
/** Reads state that only the process has that sends the requests of webhooks. */
const DELIVERIES = 'webhooks.deliveries';
const PREVIEW = 'settings.preview';

export const needsWriter = ({ id, method, action }: Pick<Route, 'id' | 'method' | 'action'>) =>
  id === DELIVERIES || (method !== 'GET' && !READS.has(action) && id !== PREVIEW);
