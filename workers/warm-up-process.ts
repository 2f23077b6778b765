/**
 * Part of the processes that warm themselves up: when they may, what they have for it, and what the
 * log hears of it.
 */
import { readFileSync } from 'node:fs';
import { createFreeCores, readCpuTimes } from '../src/host/free-cores.ts';
import type { Logger } from '../src/observability/logger.ts';

/** Text of a file of `warm-up-files.ts`; null where the sources run without a build. */
export function readWarmUpFile(folder: URL, name: string): string | null {
  try {
    return readFileSync(new URL(name, folder), 'utf8');
  } catch {
    return null;
  }
}

/**
 * Resolves when `work` is done, has failed, or was cut off by `signal`; never rejects. @param work
 * resolves with how many steps it did
 */
export async function warmUpProcess(
  log: Logger,
  signal: AbortSignal,
  work: (freeCores: () => number) => Promise<number>,
): Promise<void> {
  const startedAtMs = performance.now();
  try {
    const steps = await work(createFreeCores(readCpuTimes, () => performance.now()));
    log.debug({ steps, ms: Math.round(performance.now() - startedAtMs) }, 'warmed up');
  } catch (error) {
    if (!signal.aborted) log.error({ err: error }, 'the warm-up failed');
  }
}
