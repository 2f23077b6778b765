/** The package by which SlateDB calls its native library, and a way to replace functions of the library. */

export interface NativeFunction {
  (...parameters: readonly unknown[]): unknown;
  /** Runs the function on a thread of libuv's pool. */
  async(...parametersAndCallback: readonly unknown[]): void;
}

/** Makes a function of a library callable. */
export type Define = (name: string, ...types: readonly unknown[]) => NativeFunction;

export interface NativeCalls {
  /** @param path null = the libraries of this process */
  load(path: string | null): { func: Define };
}

/**
 * Runs `load`, which must load the library by `calls`.
 * @param wrap called for each function that the library defines meanwhile; returns what is called instead
 */
export async function withWrappedFunctions<Loaded>(
  calls: NativeCalls,
  wrap: (name: string, native: NativeFunction, define: Define) => NativeFunction,
  load: () => Promise<Loaded>,
): Promise<Loaded> {
  const loadLibrary = calls.load;
  calls.load = (path) => {
    const library = loadLibrary.call(calls, path);
    const define = library.func.bind(library);
    library.func = (name, ...types) => wrap(name, define(name, ...types), define);
    return library;
  };
  try {
    return await load();
  } finally {
    calls.load = loadLibrary;
  }
}
