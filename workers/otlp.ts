/** Starts the export of traces and metrics, as the launch options say. */
import type { Config } from '../config/load.ts';
import { packageVersion } from '../config/version.ts';
import { type Otlp, type OtlpOptions, startOtlp } from '../src/observability/otlp.ts';
import { StartFailure } from '../src/runtime/start-failure.ts';

/** null = off. Rejects with `StartFailure` if packages are missing. */
export async function createOtlp(
  { otlpUrl: url }: Config,
  options: Pick<OtlpOptions, 'role' | 'metrics' | 'log'>,
): Promise<Otlp | null> {
  if (url === null) return null;
  try {
    return await startOtlp({ url, version: packageVersion(), ...options });
  } catch (cause) {
    throw new StartFailure(`option \`--otlp-url\`: ${(cause as Error).message}`, { cause });
  }
}
