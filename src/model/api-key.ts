/**
 * API keys as stored and sent to fronts. Their values are derived from the master key and not
 * stored.
 */

export interface ApiKey {
  /** Lower case with hyphens. */
  readonly uid: string;
  readonly name: string | null;
  readonly description: string | null;
  /** Names of `KEY_ACTIONS`, as given. */
  readonly actions: readonly string[];
  /** Uids and patterns; empty = no index. */
  readonly indexes: readonly string[];
  /** RFC 3339; null = never. */
  readonly expiresAt: string | null;
  /** Requests per second and front; absent = unlimited. */
  readonly requestsPerSecond?: number;
  /** RFC 3339, UTC, six digits, so that dates sort as text. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type ApiKeyDraft = Omit<ApiKey, 'createdAt' | 'updatedAt'>;

/** Absent members stay unchanged. */
export interface ApiKeyChange {
  readonly uid: string;
  readonly name?: string | null;
  readonly description?: string | null;
  /** null = unlimited. */
  readonly requestsPerSecond?: number | null;
}

/** Replaces a key, which stays valid for a while. */
export interface ApiKeyRotation {
  readonly uid: string;
  readonly newUid: string;
  /** RFC 3339: latest expiry of the replaced key. */
  readonly endsAt: string;
}
