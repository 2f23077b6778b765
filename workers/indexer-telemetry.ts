/** Part of the indexer: sends usage figures of the instance to the configured server. */
import type { Config } from '../config/load.ts';
import { packageVersion } from '../config/version.ts';
import type { SendRequest } from '../src/http-client/outgoing-http.ts';
import type { UsageReport } from '../src/model/usage-report.ts';
import type { ProcessLogger } from '../src/observability/logger.ts';
import { hostFigures } from '../src/os/host-system.ts';
import type { IndexerService } from '../src/tasks/indexer-service.ts';
import { instanceFigures } from '../src/telemetry/instance-figures.ts';
import { Telemetry } from '../src/telemetry/telemetry.ts';

export interface IndexerTelemetryParts {
  readonly service: IndexerService;
  readonly takeUsage: () => Promise<readonly UsageReport[]>;
  readonly send: SendRequest;
  readonly log: ProcessLogger;
}

const MS_PER_SECOND = 1000;

export const indexerTelemetry = (
  config: Config,
  { service, takeUsage, send, log }: IndexerTelemetryParts,
): Telemetry =>
  new Telemetry({
    isCounting: !config.noAnalytics,
    url: config.telemetryUrl,
    instanceUid: service.instanceUid,
    takeUsage,
    send,
    instance: async () => ({
      'context.app.version': packageVersion(),
      ...hostFigures(config.dbPath),
      ...instanceFigures(config, {
        features: service.features(),
        network: service.network(),
        indexCount: service.indexCount,
        databaseBytes: await service.databaseBytes(),
        upMs: process.uptime() * MS_PER_SECOND,
      }),
    }),
    now: Date.now,
    every: (ms, run) => {
      const timer = setInterval(run, ms).unref();
      return () => clearInterval(timer);
    },
    log,
  });
