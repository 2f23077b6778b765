/** Types of prune-packages.mjs, for its tests. */
export interface PruneTarget {
  readonly platform: string;
  readonly arch: string;
  readonly abis: readonly string[];
}
export const host: PruneTarget;
export function prunePackages(root: string, target?: PruneTarget): number;
