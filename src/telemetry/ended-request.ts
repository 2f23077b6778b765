/** A request that has been answered, as usage is counted by. */

export interface EndedRequest {
  /** `Route.id`. */
  readonly routeId: string;
  /** As validated; undefined where the request was refused before, or has none. */
  readonly query: unknown;
  readonly body: unknown;
  /** Header that names the client. */
  readonly client: string;
  readonly contentType: string;
  readonly status: number;
  readonly durationMs: number;
  /** It names an index that is not there when the answer leaves. */
  readonly isIndexNew: boolean;
  /** A search of it ended at its time limit. */
  readonly isDegraded: boolean;
}

const ERROR_STATUS = 400;

export const hasSucceeded = ({ status }: EndedRequest): boolean => status < ERROR_STATUS;

/** Members of a query or body, whatever it is; of none for what has no members. */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** Length of a list; undefined for what is none. */
export const lengthOf = (value: unknown): number | undefined =>
  Array.isArray(value) ? value.length : undefined;

export const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
