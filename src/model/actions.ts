/**
 * The table of actions: the permissions of routes, and the names and wildcards that a key may hold
 * (api.md 2.5).
 */

interface ActionFacts {
  /** Granted by `*.get`. */
  readonly isRead?: true;
  /** Concerns the whole instance; keys that are restricted to some indexes never have it. */
  readonly isGlobal?: true;
  /** Has no name for keys; only `*` grants it. */
  readonly isUnnamed?: true;
  /** An addition of this server to the conventions. */
  readonly isAdded?: true;
}

const READ = { isRead: true } as const;
const GLOBAL = { isGlobal: true } as const;
const GLOBAL_READ = { isRead: true, isGlobal: true } as const;

const facts = {
  search: READ,
  'documents.add': {},
  'documents.get': READ,
  'documents.delete': {},
  'documents.edit': { isUnnamed: true },
  'indexes.create': {},
  'indexes.get': READ,
  'indexes.update': {},
  'indexes.delete': {},
  'indexes.swap': {},
  'indexes.compact': {},
  'tasks.get': READ,
  'tasks.cancel': {},
  'tasks.delete': {},
  'tasks.compact': GLOBAL,
  'settings.get': READ,
  'settings.update': {},
  'stats.get': READ,
  'metrics.get': GLOBAL_READ,
  'telemetry.get': { ...GLOBAL_READ, isAdded: true },
  'dumps.create': GLOBAL,
  'snapshots.create': GLOBAL,
  /** Not granted by `*.get`: backups hold all data and secrets. */
  'backups.get': { isGlobal: true, isAdded: true },
  /** Not granted by `*.get`: they hold what users typed. */
  'analytics.get': { isAdded: true },
  /** Not granted by `*.get`: it names users and their addresses. */
  'audit.get': { isGlobal: true, isAdded: true },
  'events.add': { isAdded: true },
  version: GLOBAL_READ,
  'keys.get': GLOBAL,
  'keys.create': GLOBAL,
  'keys.update': GLOBAL,
  'keys.delete': GLOBAL,
  'experimental.get': GLOBAL_READ,
  'experimental.update': GLOBAL,
  export: GLOBAL_READ,
  'network.get': GLOBAL_READ,
  'network.update': GLOBAL,
  'webhooks.get': GLOBAL_READ,
  'webhooks.create': GLOBAL,
  'webhooks.update': GLOBAL,
  'webhooks.delete': GLOBAL,
  chatCompletions: {},
  'chats.get': GLOBAL_READ,
  'chats.delete': GLOBAL,
  'chatsSettings.get': GLOBAL_READ,
  'chatsSettings.update': GLOBAL,
  'fields.post': READ,
  'dynamicSearchRules.get': GLOBAL_READ,
  'dynamicSearchRules.create': GLOBAL,
  'dynamicSearchRules.update': GLOBAL,
  'dynamicSearchRules.delete': GLOBAL,
} as const satisfies Record<string, ActionFacts>;

export type Action = keyof typeof facts;

const ALL = Object.keys(facts) as Action[];
const factsOf = (action: Action): ActionFacts => facts[action];
const NAMED = ALL.filter((action) => !factsOf(action).isUnnamed);

/** Groups that a key may hold as `documents.*`. */
const GROUPS = [
  'documents',
  'indexes',
  'tasks',
  'settings',
  'stats',
  'metrics',
  'dumps',
  'snapshots',
  'webhooks',
  'chats',
  'chatsSettings',
  'dynamicSearchRules',
] as const;
const membersOf = (group: string): Action[] =>
  NAMED.filter((action) => action.startsWith(`${group}.`));

/** Name on a key → the actions that it grants. */
const expansions: ReadonlyMap<string, readonly Action[]> = new Map<string, readonly Action[]>([
  ['*', ALL],
  ['*.get', NAMED.filter((action) => factsOf(action).isRead)],
  ...GROUPS.map((group) => [`${group}.*`, membersOf(group)] as const),
  ...NAMED.map((action) => [action, [action]] as const),
]);

export const KEY_ACTIONS: readonly string[] = [...expansions.keys()];

/** True for an action that other servers with the same API do not have. */
export const isAddedAction = (name: string): boolean =>
  ALL.some((action) => action === name && factsOf(action).isAdded === true);

export const isGlobalOnly = (name: string): boolean =>
  (expansions.get(name) ?? []).every((action) => factsOf(action).isGlobal === true);

/** @param isRestricted to some indexes: wildcards then exclude actions on the whole instance */
export function expandActions(
  names: readonly string[],
  isRestricted: boolean,
): ReadonlySet<Action> {
  const all = names.flatMap((name) => expansions.get(name) ?? []);
  return new Set(isRestricted ? all.filter((action) => !factsOf(action).isGlobal) : all);
}
