export interface KernelModule {
  /** Whose `assembly` folder has the sources. */
  readonly folder: string;
  /** Of the constant that holds the compiled kernels. */
  readonly name: string;
}
export const KERNEL_MODULES: readonly KernelModule[];
/** The path of the compiled kernels. */
export function compiledFile(module: KernelModule): string;
/** The text of that file, compiled anew. */
export function compiledKernels(root: string, module: KernelModule): Promise<string>;
/** Writes those files whose sources have changed. */
export function ensureKernels(root: string): Promise<void>;
