/** `gannet sync`: indexes follow tables and views of a PostgreSQL database. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Command, type CommandCall, textOption } from '../command.ts';
import { CommandFailure, EXIT } from '../command-failure.ts';
import { isPostgresAddress } from '../sync/change-source.ts';
import { mappingsOf } from '../sync/mapping.ts';
import { serveMetrics } from '../sync/metrics-server.ts';
import { SyncReport } from '../sync/sync-report.ts';
import { copyStateFile, SyncRun } from '../sync/sync-run.ts';
import { SyncTarget } from '../sync/sync-target.ts';

const SAVED_ROWS = 20_000;
const SLOT_DEFAULT = 'gannet';
/** Names of slots; the second slot has `_copy` at its end. */
const SLOT_NAME = /^[a-z0-9_]{1,58}$/;

export const syncCommand: Command = {
  name: 'sync',
  summary: 'Keeps indexes equal to tables and views of PostgreSQL, by logical replication',
  usage: 'postgres://USER@HOST/DATABASE --mapping FILE|--tables LIST',
  arguments: [1, 1],
  asksServer: true,
  options: {
    'mapping FILE': 'which tables and views become which indexes and fields, as JSON',
    'tables LIST': 'these tables become indexes of their names, comma-separated',
    'slot NAME': `replication slot, created if absent (default: ${SLOT_DEFAULT})`,
    'publication NAME': `publication, created if absent (default: ${SLOT_DEFAULT})`,
    'copy-again': 'copies all rows once more and deletes documents without a row, then goes on',
    'metrics-addr HOST:PORT': 'serves GET /metrics for Prometheus',
    once: 'ends when all changes up to its start are applied',
  },
  run: sync,
};

async function sync(call: CommandCall): Promise<void> {
  const { options, terminal, instance, env } = call;
  const [address = ''] = call.arguments;
  if (!isPostgresAddress(address) || !URL.canParse(address))
    throw new CommandFailure('the source is an address that begins with postgres://', EXIT.usage);
  const slot = textOption(options, 'slot') ?? SLOT_DEFAULT;
  if (!SLOT_NAME.test(slot))
    throw new CommandFailure(
      '--slot takes at most 58 small letters, digits and underscores',
      EXIT.usage,
    );
  const mappings = mappingsOf(call);
  const publication = textOption(options, 'publication') ?? SLOT_DEFAULT;
  const { PostgresSource } = await import('../sync/postgres-source.ts');
  const note = (line: string): void => terminal.note(line);
  const { hostname, port, pathname } = new URL(address);
  const work = { hostname, port, pathname, slot, url: instance.url };
  const report = new SyncReport(note, Date.now);
  const metricsAddress = textOption(options, 'metrics-addr');
  const metrics =
    metricsAddress === null ? null : await serveMetrics(metricsAddress, () => report.metrics());
  const run = new SyncRun({
    target: new SyncTarget(instance, note, wait),
    terminal,
    state: copyStateFile(work, env),
    report,
    isOnce: options['once'] === true,
    copiesAgain: options['copy-again'] === true,
    savedRows: SAVED_ROWS,
    pause: wait,
  });
  try {
    await run.sessions(() => new PostgresSource({ address, slot, publication, mappings, note }));
  } finally {
    metrics?.close();
  }
}
