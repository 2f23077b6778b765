/**
 * Access of a request beyond the action of its route: which indexes it reaches, and which
 * filters apply.
 */
import type { Action } from '../model/actions.ts';

export interface Access {
  /**
   * Uid of the API key, also if a tenant token was used; `oidc:` and the subject of an OpenID token;
   * null for the master key.
   */
  readonly keyUid: string | null;
  /** True if some indexes, or tasks without an index, are invisible. */
  readonly isRestricted: boolean;
  /** Index restriction of task lists; null = all. A tenant token reaches no tasks. */
  readonly taskIndexes: readonly string[] | null;
  reaches(indexUid: string): boolean;
  holds(action: Action): boolean;
  /** The filter for searches of the index, in JSON form; null = none. */
  searchFilter(indexUid: string): unknown;
}

/** Access of the master key, and of every caller without a master key. */
export const FULL_ACCESS: Access = {
  keyUid: null,
  isRestricted: false,
  taskIndexes: null,
  reaches: () => true,
  holds: () => true,
  searchFilter: () => null,
};
