/**
 * Runs a role when its entry file is the main module of a process forked by the supervisor; does
 * nothing when the file was imported.
 */
import { fileURLToPath } from 'node:url';
import { takeInherited, takeVariable } from '../config/inherited.ts';
import type { Config } from '../config/load.ts';
import { PROCESS_ENDS, type ProcessEnd } from '../src/core/process-end.ts';
import { createLogger, type ProcessLogger } from '../src/observability/logger.ts';
import { hostRole, type RunningRole, type StartSignals } from '../src/runtime/host-role.ts';
import { CONFIG_VARIABLE, PREDECESSOR_VARIABLE } from '../src/runtime/lifecycle-protocol.ts';

interface RoleEntry {
  readonly url: string;
  readonly name: string;
  readonly run: (
    config: Config,
    log: ProcessLogger,
    signals: StartSignals,
    predecessorEnd: ProcessEnd,
  ) => Promise<RunningRole>;
  readonly stopGraceMs: number;
}

/** Settings of a forked process, set by the supervisor. @param name in the log */
export function inheritedStart(name: string): {
  readonly config: Config;
  readonly log: ProcessLogger;
} {
  const config = takeInherited(process.env, CONFIG_VARIABLE);
  return { config, log: createLogger({ level: config.logLevel, mode: config.logsMode, name }) };
}

export async function startWhenForked({ url, name, run, stopGraceMs }: RoleEntry): Promise<void> {
  if (process.argv[1] !== fileURLToPath(url)) return;
  const { config, log } = inheritedStart(name);
  const given = takeVariable(process.env, PREDECESSOR_VARIABLE);
  const predecessorEnd = PROCESS_ENDS.find((end) => end === given) ?? 'outside';
  const start = (signals: StartSignals) => run(config, log, signals, predecessorEnd);
  await hostRole({ name, log, start, stopGraceMs });
}
