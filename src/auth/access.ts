/**
 * What the caller of a request may do beyond the action of its route: which indexes it reaches,
 * which filters bind it.
 */
import type { Action } from '../model/actions.ts';

export interface Access {
  /** Of the API key, that which signed a tenant token included; null for the master key. */
  readonly keyUid: string | null;
  /** Whether there are indexes, or tasks of none, that it must not see. */
  readonly isRestricted: boolean;
  /** What lists of tasks are restricted to; null = all. A tenant token reaches no tasks. */
  readonly taskIndexes: readonly string[] | null;
  reaches(indexUid: string): boolean;
  holds(action: Action): boolean;
  /** The filter that binds its searches of the index, in JSON form; null = none. */
  searchFilter(indexUid: string): unknown;
}

/** Of the master key, and of everybody where there is none. */
export const FULL_ACCESS: Access = {
  keyUid: null,
  isRestricted: false,
  taskIndexes: null,
  reaches: () => true,
  holds: () => true,
  searchFilter: () => null,
};
