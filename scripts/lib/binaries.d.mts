/** Types of binaries.mjs, for its tests. */
type Checksums = Readonly<Record<string, string>>;
export function checksumsIn(folder: string): Checksums;
export function differences(
  expected: Checksums,
  installed: Checksums,
  source: string,
): readonly string[];
