/** Types of advisories.mjs, for its tests. */
export function verdictOf(text: string): {
  readonly code: number;
  readonly lines: readonly string[];
};
