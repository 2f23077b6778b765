/** Absent members of requests: left out or null. */
export const isGiven = <T>(value: T): value is NonNullable<T> =>
  value !== null && value !== undefined;
