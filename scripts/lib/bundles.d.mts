/** Types of bundles.mjs, for tests. */
export function isCompiled(path: string): boolean;
export function bundleTypebox(root: string): Promise<void>;
