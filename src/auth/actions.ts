/** The closed list of actions that routes ask for. */
export const ACTIONS = [
  'search',
  'documents.add',
  'documents.get',
  'documents.delete',
  'indexes.create',
  'indexes.get',
  'indexes.update',
  'indexes.delete',
  'indexes.swap',
  'tasks.get',
  'tasks.cancel',
  'tasks.delete',
  'settings.get',
  'settings.update',
  'stats.get',
  'experimental.get',
  'experimental.update',
  'version',
] as const;
export type Action = (typeof ACTIONS)[number];
