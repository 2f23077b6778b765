/**
 * API keys as they are stored and published to fronts. Their values are not among it: they follow
 * from the master key.
 */

export interface ApiKey {
  /** Lower case with hyphens. */
  readonly uid: string;
  readonly name: string | null;
  readonly description: string | null;
  /** Names of `KEY_ACTIONS`, as they were given. */
  readonly actions: readonly string[];
  /** Uids and patterns; none = no index. */
  readonly indexes: readonly string[];
  /** RFC 3339; null = never. */
  readonly expiresAt: string | null;
  /** Requests that a front answers to it; absent = any number. */
  readonly requestsPerSecond?: number;
  /** RFC 3339, UTC, six digits: these sort as text. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type ApiKeyDraft = Omit<ApiKey, 'createdAt' | 'updatedAt'>;

/** Absent members stay as they are. */
export interface ApiKeyChange {
  readonly uid: string;
  readonly name?: string | null;
  readonly description?: string | null;
  /** null = any number. */
  readonly requestsPerSecond?: number | null;
}

/** A key takes the place of another, which goes on for a while. */
export interface ApiKeyRotation {
  /** Of the key that is replaced. */
  readonly uid: string;
  readonly newUid: string;
  /** RFC 3339: when the replaced key ends, unless it does before. */
  readonly endsAt: string;
}
