/**
 * Process entry of a front: serves HTTP, searches, is connected to the indexer. Opens no store;
 * several may run on one host. What serves is loaded once it is known: threads that each have a
 * share of the connections, or one loop with a query pool.
 */
import type { Config } from '../config/load.ts';
import { helpersYieldToOthers } from '../src/host/helper-threads.ts';
import { takeTurnsPromptly } from '../src/host/prompt-threads.ts';
import { collectWholeHeapsSeldom } from '../src/host/whole-collections.ts';
import { collectYoungAlone } from '../src/host/young-collections.ts';
import { createAcceptor } from '../src/http/acceptor.ts';
import type { ProcessLogger } from '../src/observability/logger.ts';
import { type RunningRole, STOP_GRACE_MS, type StartSignals } from '../src/runtime/host-role.ts';
import { startWhenForked } from './child-entry.ts';
import { warningsOfFront } from './forced-features.ts';
import { prefetchVectors } from './front-prefetch.ts';

export default async function runFront(
  config: Config,
  log: ProcessLogger,
  permits: StartSignals,
): Promise<RunningRole> {
  collectYoungAlone();
  collectWholeHeapsSeldom();
  helpersYieldToOthers();
  takeTurnsPromptly();
  for (const warning of warningsOfFront(config)) log.warn(warning);
  const prefetched = prefetchVectors(config, log, permits.signal);
  const mayServe = Promise.all([permits.mayServe, prefetched]).then(() => undefined);
  const signals = { ...permits, mayServe };
  const mayShare = config.servingThreads > 0 && config.sslCertPath === null;
  const acceptor = mayShare ? await createAcceptor(log) : null;
  if (acceptor === null) {
    const { runFrontLoop } = await import('./front-loop.ts');
    return runFrontLoop(config, log, signals);
  }
  const { runFrontThreads } = await import('./front-threads.ts');
  return runFrontThreads(acceptor, config, log, signals);
}

await startWhenForked({
  url: import.meta.url,
  name: 'front',
  run: runFront,
  stopGraceMs: STOP_GRACE_MS.front,
});
