export interface KernelModule {
  /** Folder with the sources in `assembly`. */
  readonly folder: string;
  /** Name of the constant with the compiled kernels. */
  readonly name: string;
}
export const KERNEL_MODULES: readonly KernelModule[];
/** Path of the compiled kernels. */
export function compiledFile(module: KernelModule): string;
/** Compiles the kernels and returns the text of the file. */
export function compiledKernels(root: string, module: KernelModule): Promise<string>;
/** True if the module was compiled from the sources as they are. */
export function isCompiled(root: string, module: KernelModule): boolean;
/** Writes the files whose sources have changed. */
export function ensureKernels(root: string): Promise<void>;
