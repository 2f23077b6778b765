/** Types of lockfile.mjs, for its tests. */
export interface LockEntry {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
export function missingOptional(
  packages: Readonly<Record<string, LockEntry>>,
): Record<string, LockEntry>;
export function withoutIntegrity(packages: Readonly<Record<string, LockEntry>>): string[];
