/** The text of src/engine/vectors/compiled-kernels.ts, compiled anew. */
export function compiledKernels(root: string): Promise<string>;
/** Writes that file when its sources have changed. */
export function ensureKernels(root: string): Promise<void>;
