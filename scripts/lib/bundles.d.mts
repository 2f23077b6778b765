/** Types of bundles.mjs, for its tests. */
export function bundleTypebox(root: string): Promise<void>;
