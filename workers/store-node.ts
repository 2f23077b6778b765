/**
 * The indexer process of a node whose data is in an object store: follows the node that writes, and
 * writes itself when none does.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/load.ts';
import { readInstanceUid } from '../src/catalog/instance-uid.ts';
import { Follower } from '../src/cluster/follower.ts';
import { hedged } from '../src/cluster/hedged-call.ts';
import { decideRole } from '../src/cluster/role-decision.ts';
import { type OwnFacts, RESEND_SHARE, TakeoverWatch } from '../src/cluster/takeover-watch.ts';
import { readWriterNote, type WriterNote } from '../src/cluster/writer-note.ts';
import { EXIT_FENCED, EXIT_STORE_FAILED, type ProcessEnd } from '../src/core/process-end.ts';
import { StepTimes } from '../src/core/step-times.ts';
import type { IndexerServer, IndexerServerOptions } from '../src/ipc/connection/indexer-server.ts';
import type { Webhook } from '../src/model/webhook.ts';
import type { ProcessLogger } from '../src/observability/logger.ts';
import type { Metric } from '../src/observability/metric.ts';
import { processMetrics } from '../src/observability/process-metrics.ts';
import type { RunningRole, StartSignals, StopReason } from '../src/runtime/host-role.ts';
import { StartFailure } from '../src/runtime/start-failure.ts';
import { showInstanceUid } from '../src/storage/data-folder/notes.ts';
import type { SlateDbReader } from '../src/storage/database/slatedb-reader.ts';
import { StoreFenced } from '../src/storage/database/slatedb-store.ts';
import { mappedRangeBytes } from '../src/storage/files/mapped-ranges.ts';
import { DEFAULT_SERVICE_LIMITS } from '../src/tasks/service-limits.ts';
import { forcedFeatures } from './forced-features.ts';
import { type OpenedStore, type PreparedStore, prepareStore } from './indexer-store.ts';

const WAIT_MS = 1000;
const LOOKS = 5;
const DECISION_MS = 20;
const MS_PER_SECOND = 1000;

interface StoreNodeParts {
  readonly config: Config;
  /** URL of the object store. */
  readonly url: string;
  readonly log: ProcessLogger;
  readonly signals: StartSignals;
  readonly predecessorEnd: ProcessEnd;
  readonly launchWebhook: Webhook | null;
  /** @param beforeListen resolves when the address for fronts is free */
  readonly runWriter: (
    opened: OpenedStore,
    beforeListen: () => Promise<void>,
  ) => Promise<RunningRole>;
  readonly listen: (
    options: Omit<IndexerServerOptions, 'address' | 'secret' | 'log'>,
  ) => Promise<IndexerServer>;
  /** Closes the connections of fronts. */
  readonly stopServing: (server: IndexerServer, reason: StopReason) => Promise<void>;
}

export async function runStoreNode(parts: StoreNodeParts): Promise<RunningRole> {
  try {
    return await start(parts);
  } catch (error) {
    if (error instanceof StartFailure) throw error;
    if (error instanceof StoreFenced) {
      parts.log.error(error.message);
      process.exit(EXIT_FENCED);
    }
    throw new StartFailure((error as Error).message, { cause: error });
  }
}

async function start(parts: StoreNodeParts): Promise<RunningRole> {
  const { config, url, log, signals, predecessorEnd } = parts;
  const prepared = await prepareStore(config, url, log, signals.signal);
  const own: OwnFacts = {
    role: config.role === 'writer' || config.role === 'reader' ? config.role : 'all',
    nodeId: prepared.nodeId,
    wasFenced: predecessorEnd === 'fenced',
    takeoverMs: config.takeoverSeconds * MS_PER_SECOND,
  };
  for (let isFirst = true; ; isFirst = false) {
    const mayTakeOver = own.role === 'all';
    const [reader] = await Promise.all([
      own.role === 'writer' ? null : prepared.openForReading(),
      // Its first list is long.
      mayTakeOver && prepared.newestLogObject(),
    ]);
    const hasDatabase = reader !== null;
    const writer = reader && (await readWriterNote(reader));
    const isBeingOpened = mayTakeOver && hasDatabase && (await prepared.isBeingOpened());
    const decision = decideRole({ ...own, hasDatabase, writer, isBeingOpened, silentMs: 0 });
    if (decision === 'follow' && hasDatabase && writer !== null)
      return FollowingNode.start({ ...parts, prepared, own, reader, isBeingOpened }, writer);
    await reader?.close();
    if (decision === 'write')
      return parts.runWriter(await prepared.openForWriting(), async () => undefined);
    if (isFirst) log.info(`waiting for a node that writes ${url}`);
    await sleep(WAIT_MS, undefined, { signal: signals.signal });
  }
}

interface FollowingParts extends StoreNodeParts {
  readonly prepared: PreparedStore;
  readonly own: OwnFacts;
  readonly reader: SlateDbReader;
  /** Another node opens the database for writing. */
  readonly isBeingOpened: boolean;
}

/** A node that follows the writer until it becomes the writer. */
class FollowingNode implements RunningRole {
  readonly #parts: FollowingParts;
  readonly #follower: Follower;
  readonly #server: IndexerServer;
  #takeover: Promise<void> | null = null;
  /** null while this node follows. */
  #writing: RunningRole | null = null;
  #isStopping = false;
  readonly #watch: TakeoverWatch;
  /** Not after a look for commits: it may wait for the store for longer than a takeover takes. */
  readonly #decisions: NodeJS.Timeout;

  private constructor(parts: FollowingParts, follower: Follower, server: IndexerServer) {
    this.#parts = parts;
    this.#follower = follower;
    this.#server = server;
    const { writer } = follower.state;
    this.#watch = new TakeoverWatch(
      parts.own,
      performance.now(),
      parts.isBeingOpened ? writer : null,
    );
    this.#decisions = setInterval(() => this.#decide(), DECISION_MS).unref();
  }

  static async start(parts: FollowingParts, writer: WriterNote): Promise<FollowingNode> {
    const { config, url, log, prepared, reader, launchWebhook } = parts;
    const { folder, stored } = prepared;
    let server: IndexerServer | null = null;
    const instanceUid = await readInstanceUid(reader);
    if (instanceUid !== null) showInstanceUid(folder.root, instanceUid);
    const follower = await Follower.open(
      {
        store: reader,
        stored,
        folder,
        forced: forcedFeatures(config),
        launchWebhook,
        // SlateDB looks into the store; this looks at what it has found, which costs .3 ms.
        pollMs: config.readerPollMs / LOOKS,
        budgetBytes: config.storeCacheSize,
        takeReadIndexes: async () => (await server?.takeReadIndexes()) ?? [],
        obsoleteGraceMs: DEFAULT_SERVICE_LIMITS.obsoleteGraceMs,
        publish: (name, data) => server?.publish(name, data),
        minimumAcknowledged: (indexId) =>
          server?.minimumAcknowledged(indexId) ?? Number.POSITIVE_INFINITY,
        monotonic: () => performance.now(),
        onLost: (reason) => {
          log.warn(`${reason}: it reads all state again`);
          process.exit(EXIT_STORE_FAILED);
        },
        log,
      },
      writer,
    );
    const listening = await parts.listen(
      serverOptions(follower, () => prepared.metrics(reader.requestCounts())),
    );
    server = listening;
    const node = new FollowingNode(parts, follower, listening);
    follower.start();
    log.info(`this node reads ${url}; ${writer.url} writes`);
    return node;
  }

  get info(): RunningRole['info'] {
    return { indexer: this.#parts.config.indexerAddress };
  }

  announced(): void {
    this.#isStopping = true;
    this.#writing?.announced?.();
  }

  async stop(reason: StopReason): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#decisions);
    await this.#takeover;
    if (this.#writing !== null) return this.#writing.stop(reason);
    await this.#parts.stopServing(this.#server, reason);
    await this.#follower.stop();
    await this.#parts.reader.close();
    this.#parts.prepared.stored.close();
  }

  #decide(): void {
    if (this.#takeover !== null || this.#writing !== null || this.#isStopping) return;
    const step = this.#watch.step(this.#follower.state.writer, performance.now());
    if (step === 'probe') void this.#probe();
    if (step !== 'write') return;
    this.#takeover = this.#takeOver().finally(() => {
      this.#takeover = null;
    });
  }

  /** Continues to follow if the writer lives or the store cannot be opened. */
  async #takeOver(): Promise<void> {
    const { log, url } = this.#parts;
    const follower = this.#follower;
    const { writer } = follower.state;
    const steps = new StepTimes(() => performance.now());
    steps.add('silence', this.#watch.silentMs(performance.now()));
    await follower.pause();
    steps.end('last look');
    const opened = await this.#open(steps);
    if (opened === null) {
      this.#watch.failed(performance.now());
      follower.start();
      return;
    }
    log.warn(`this node writes ${url} now, because ${writer.url} ${reasonOf(writer)}`);
    try {
      const known = follower.state.handOver(opened.changes);
      this.#writing = await this.#parts.runWriter({ ...opened, known }, async () => {
        steps.end('state');
        await this.#server.close(0);
        await follower.stop();
        // Waits for the store, and no front waits for it.
        void this.#parts.reader.close().catch((error: Error) => {
          log.warn(`the database that this node followed was not closed: ${error.message}`);
        });
      });
      steps.end('listen');
      log.info(`the takeover took ${timesOf(steps)}`);
    } catch (error) {
      log.error({ err: error }, 'the takeover failed; the indexer restarts');
      process.exit(EXIT_STORE_FAILED);
    }
  }

  #newest(): Promise<string> {
    const { prepared, own } = this.#parts;
    return hedged(() => prepared.newestLogObject(), own.takeoverMs * RESEND_SHARE);
  }

  async #probe(): Promise<void> {
    const beganMs = performance.now();
    let found: string | null = null;
    try {
      found = await this.#newest();
    } catch (error) {
      this.#parts.log.warn(`no takeover: the store cannot be read: ${(error as Error).message}`);
    }
    const nowMs = performance.now();
    if (this.#watch.probed(found, nowMs - beganMs, nowMs)) this.#decide();
  }

  /** null if the writer may live, the store cannot be opened or this node is to stop. */
  async #open(steps: StepTimes): Promise<OpenedStore | null> {
    if (this.#isStopping) return null;
    try {
      if (!this.#watch.isRecent(performance.now()) && this.#watch.hasGrown(await this.#newest()))
        return null;
      const { position } = this.#follower.state;
      return await this.#parts.prepared.openForWriting({ position, steps });
    } catch (error) {
      this.#parts.log.warn(
        `no takeover: the store cannot be opened for writing: ${(error as Error).message}`,
      );
      return null;
    }
  }
}

const reasonOf = ({ hasStopped }: WriterNote): string =>
  hasStopped ? 'has stopped' : 'has been silent for the time of a takeover';

/** Milliseconds by step. */
const timesOf = ({ total, steps }: StepTimes): string => {
  const times = [...steps].map(([step, ms]) => `${step} ${Math.round(ms)}`);
  return `${Math.round(total)} ms: ${times.join(', ')}`;
};

const serverOptions = (
  follower: Follower,
  storeMetrics: () => Metric[],
): Omit<IndexerServerOptions, 'address' | 'secret' | 'log'> => ({
  handlers: follower.handlers,
  published: () => follower.published(),
  metrics: async () => [
    ...processMetrics('indexer', mappedRangeBytes()),
    ...follower.metrics(),
    ...storeMetrics(),
  ],
  previewTelemetry: async () => ({ isCounting: false, target: null, sendsAt: null, bundles: [] }),
  // `--store` excludes `--search-analytics`.
  addAnalytics: async () => null,
  onAcknowledged: () => follower.sweep(),
});
