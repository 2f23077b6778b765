/** Absent members of requests: left out or null. */
export const isGiven = <T>(value: T): value is NonNullable<T> =>
  value !== null && value !== undefined;

/** Without absent members. */
export const givenMembers = <T extends object>(
  members: {
    [K in keyof T]?: T[K] | null | undefined;
  },
): T => Object.fromEntries(Object.entries(members).filter(([, value]) => isGiven(value))) as T;
