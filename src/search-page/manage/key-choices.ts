/** Plain choices for a new API key. Pure. */
import { DAY_MS } from '../../core/calendar-day.ts';
import { KEY_ACTIONS } from '../../model/actions.ts';

/** Actions by the purpose of a key. */
export const PURPOSES = {
  search: { label: 'Search', actions: ['search'] },
  write: {
    label: 'Search, and write documents',
    actions: ['search', 'documents.*', 'tasks.get'],
  },
  manage: {
    label: 'Manage indexes: documents, settings, tasks',
    actions: [
      'search',
      'documents.*',
      'indexes.*',
      'settings.*',
      'tasks.*',
      'stats.get',
      'fields.post',
    ],
  },
  read: { label: 'Read everything', actions: ['*.get'] },
  all: { label: 'Everything', actions: ['*'] },
  custom: { label: 'Chosen actions', actions: [] },
} as const;
export type Purpose = keyof typeof PURPOSES;

export const LIFETIMES = {
  never: 'never',
  1: 'after a day',
  7: 'after a week',
  30: 'after 30 days',
  90: 'after 90 days',
  365: 'after a year',
} as const;
export type KeyLifetime = keyof typeof LIFETIMES;

export interface KeyChoices {
  readonly name: string;
  readonly purpose: Purpose;
  /** Used with the purpose `custom`. */
  readonly actions: readonly string[];
  /** Index names and prefix patterns; empty = all. */
  readonly indexes: readonly string[];
  readonly lifetime: KeyLifetime;
  readonly requestsPerSecond: number | null;
}

/** The body of `POST /keys`. */
export const keyBodyOf = (choices: KeyChoices, nowMs: number) => {
  const { name, purpose, actions, indexes, lifetime, requestsPerSecond } = choices;
  return {
    name: name.trim() === '' ? null : name.trim(),
    actions: purpose === 'custom' ? actions : PURPOSES[purpose].actions,
    indexes: indexes.length === 0 ? ['*'] : indexes,
    expiresAt:
      lifetime === 'never' ? null : new Date(nowMs + Number(lifetime) * DAY_MS).toISOString(),
    ...(requestsPerSecond !== null && { requestsPerSecond }),
  };
};

/** Names of a group, such as `documents`, with their actions; the wildcards come first. */
export function actionGroups(): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const action of KEY_ACTIONS) {
    const group = action.startsWith('*') ? 'all' : action.replace(/\..*$/, '');
    groups.set(group, [...(groups.get(group) ?? []), action]);
  }
  return groups;
}
