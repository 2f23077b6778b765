/** The result, or the reason of the first signal that is aborted before it has come. */
export function unlessAborted<T>(
  promise: Promise<T>,
  ...signals: readonly (AbortSignal | undefined)[]
): Promise<T> {
  return new Promise((resolve, reject) => {
    const ends = signals.flatMap((signal) =>
      signal === undefined ? [] : [{ signal, stop: () => reject(signal.reason as Error) }],
    );
    for (const { signal, stop } of ends) {
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop, { once: true });
    }
    promise.then(resolve, reject).finally(() => {
      for (const { signal, stop } of ends) signal.removeEventListener('abort', stop);
    });
  });
}

/** The result; null if the signal is aborted first. */
export const orNullIfAborted = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> =>
  unlessAborted(promise, signal).catch((error: unknown) => {
    if (signal.aborted) return null;
    throw error;
  });
