/** Throws on programmer errors; expected failures are `ApiError`. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`);
}
