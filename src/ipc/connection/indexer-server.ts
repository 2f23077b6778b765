/**
 * Indexer side of the protocol: answers fronts, publishes commits to all of them, and tracks the
 * generations that each front still reads.
 */
import { createServer, type Server, type Socket } from 'node:net';
import type { AnalyticsBatch } from '../../model/analytics.ts';
import type { ApiKey } from '../../model/api-key.ts';
import { type IndexManifest, manifestText } from '../../model/index-manifest.ts';
import type { SearchRule } from '../../model/search-rule.ts';
import type { TelemetryPreview, UsageReport } from '../../model/usage-report.ts';
import type { ProcessLogger } from '../../observability/logger.ts';
import type { Metric, WrittenMetric } from '../../observability/metric.ts';
import { written } from '../../observability/prometheus.ts';
import { toSocketAddress } from './address.ts';
import { Channel, type Handlers } from './channel.ts';
import type {
  FrontRequests,
  FrontState,
  IndexerEvents,
  IndexerRequests,
} from './indexer-protocol.ts';
import { LogTap, requireLevels } from './log-tap.ts';

/** Implemented by the indexer's service; this class handles all state that concerns every front. */
export type IndexerHandlers = Handlers<Omit<IndexerRequests, OwnRequest>>;
type OwnRequest =
  | 'acknowledge'
  | 'metrics'
  | 'previewTelemetry'
  | 'addAnalytics'
  | 'openLogStream'
  | 'closeLogStream'
  | 'setLogLevels';

/** What a front that connects is sent. */
export interface PublishedState {
  readonly state: FrontState;
  readonly keys: Iterable<ApiKey>;
  readonly searchRules: Iterable<SearchRule>;
  /** Of every index that exists. */
  readonly manifests: Iterable<IndexManifest>;
  readonly checked: Iterable<IndexerEvents['indexChecked']>;
}

export interface IndexerServerOptions {
  /** Path of a unix socket, or `host:port`. A socket file left by a dead process must be gone. */
  readonly address: string;
  /** Secret that a front must hold to be served. */
  readonly secret: string;
  readonly handlers: IndexerHandlers;
  readonly published: () => PublishedState;
  readonly metrics: () => Promise<readonly Metric[]>;
  readonly previewTelemetry: () => Promise<TelemetryPreview>;
  readonly addAnalytics: (batch: AnalyticsBatch) => Promise<null>;
  readonly log: Pick<ProcessLogger, 'warn' | 'error' | 'listen' | 'setLevels'>;
  /** Called when indexes may have files that no front reads any more. */
  readonly onAcknowledged?: () => void;
}

/** Limit of open connections, unauthenticated ones included. */
const CONNECTIONS_MAX = 1024;

/** Metrics of a front that takes longer are left out. */
const FIGURES_MS_MAX = 2000;

type IndexerChannel = Channel<FrontRequests, IndexerRequests, IndexerEvents, Record<never, never>>;

interface Front {
  readonly channel: IndexerChannel;
  /** Index id → newest generation the front has switched to. */
  readonly acknowledged: Map<number, number>;
}

export class IndexerServer {
  readonly #options: IndexerServerOptions;
  readonly #server: Server;
  readonly #fronts = new Set<Front>();
  readonly #logTap: LogTap<Front>;
  /** Connections that have not yet proved that they hold the secret. */
  readonly #strangers = new Set<IndexerChannel>();

  private constructor(options: IndexerServerOptions) {
    this.#options = options;
    this.#logTap = new LogTap(options.log);
    this.#server = createServer((socket) => this.#accept(socket));
    this.#server.maxConnections = CONNECTIONS_MAX;
  }

  static async listen(options: IndexerServerOptions): Promise<IndexerServer> {
    const created = new IndexerServer(options);
    await new Promise<void>((resolve, reject) => {
      created.#server.once('error', reject);
      created.#server.listen(toSocketAddress(options.address), () => resolve());
    });
    created.#server.on('error', (error) =>
      options.log.error({ err: error }, 'the socket for fronts failed'),
    );
    return created;
  }

  /** The TCP port in use, null for a unix socket. */
  get port(): number | null {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : null;
  }

  get frontCount(): number {
    return this.#fronts.size;
  }

  publish<K extends keyof IndexerEvents>(name: K, data: IndexerEvents[K]): void {
    for (const { channel } of this.#fronts) channel.emit(name, data);
  }

  /**
   * Resolves when every connected front has applied the events published so far; waits at most
   * `timeoutMs` for a front.
   */
  async settled(timeoutMs: number): Promise<void> {
    const replies = [...this.#fronts].map(({ channel }) =>
      channel.request('settle', {}, { timeoutMs }),
    );
    for (const reply of await Promise.allSettled(replies)) {
      if (reply.status === 'rejected')
        this.#options.log.warn(`a front did not confirm an event: ${String(reply.reason)}`);
    }
  }

  /**
   * Oldest generation of the index that a connected front may read; infinity when no front is
   * connected.
   */
  minimumAcknowledged(indexId: number): number {
    let minimum = Number.POSITIVE_INFINITY;
    for (const { acknowledged } of this.#fronts)
      minimum = Math.min(minimum, acknowledged.get(indexId) ?? 0);
    return minimum;
  }

  /**
   * Accepts no more fronts, replies to the requests being handled, ends the connections; cuts them
   * after `graceMs`.
   */
  async close(graceMs = 5000): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const stranger of [...this.#strangers]) stranger.destroy();
    await Promise.all([...this.#fronts].map(({ channel }) => channel.drain(graceMs)));
    await closed;
  }

  #accept(socket: Socket): void {
    const acknowledged = new Map<number, number>();
    const handlers: Handlers<IndexerRequests> = {
      ...this.#options.handlers,
      acknowledge: (argument) => this.#acknowledge(acknowledged, argument),
      metrics: () => this.#metrics(),
      previewTelemetry: () => this.#options.previewTelemetry(),
      addAnalytics: (batch) => this.#options.addAnalytics(batch),
      openLogStream: ({ levels }) => this.#openLogStream(front, levels),
      closeLogStream: () => this.#closeLogStream(),
      setLogLevels: ({ levels }) => this.#setLogLevels(levels),
    };
    const channel: IndexerChannel = new Channel({
      socket,
      side: 'indexer',
      secret: this.#options.secret,
      handlers,
      onOpen: () => this.#welcome(front),
      onEvent: () => undefined,
      onClose: (reason) => this.#forget(front, reason),
      onBug: (error, request) =>
        this.#options.log.error({ err: error }, `request \`${request}\` failed`),
    });
    const front: Front = { channel, acknowledged };
    this.#strangers.add(channel);
  }

  /** Sends the whole published state to a front that has authenticated. */
  #welcome(front: Front): void {
    const { channel } = front;
    this.#strangers.delete(channel);
    this.#fronts.add(front);
    const { state, keys, searchRules, manifests, checked } = this.#options.published();
    channel.emit('stateChanged', state);
    for (const key of keys) channel.emit('keyPublished', key);
    for (const rule of searchRules) channel.emit('searchRulePublished', rule);
    for (const index of manifests)
      channel.emit('indexPublished', { manifest: manifestText(index) });
    for (const verdict of checked) channel.emit('indexChecked', verdict);
    channel.emit('ready', {});
  }

  /** Usage figures of each front since the last call. */
  takeUsage(): Promise<readonly UsageReport[]> {
    return this.#askFronts('takeUsage');
  }

  async takeReadIndexes(): Promise<readonly number[]> {
    return (await this.#askFronts('takeReadIndexes')).flat();
  }

  async #metrics(): Promise<readonly (readonly (Metric | WrittenMetric)[])[]> {
    const [fronts, own] = await Promise.all([this.#askFronts('metrics'), this.#options.metrics()]);
    return [written(own, fronts.flat()), ...fronts];
  }

  /** Replies of the fronts that answer in time. */
  async #askFronts<K extends keyof FrontRequests>(name: K): Promise<FrontRequests[K][1][]> {
    const answers = await Promise.allSettled(
      [...this.#fronts].map(({ channel }) =>
        channel.request(name, {}, { timeoutMs: FIGURES_MS_MAX }),
      ),
    );
    return answers.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  }

  #openLogStream(front: Front, levels: string): null {
    this.#logTap.open(front, requireLevels(levels), (line) =>
      front.channel.emit('logLine', { line }),
    );
    return null;
  }

  #closeLogStream(): null {
    this.#logTap.close()?.channel.emit('logStreamEnded', {});
    return null;
  }

  #setLogLevels(levels: string): null {
    this.#options.log.setLevels(requireLevels(levels));
    this.publish('logLevelsChanged', { levels });
    return null;
  }

  #acknowledge(
    acknowledged: Map<number, number>,
    argument: { indexId: number; generation: number },
  ): null {
    const { indexId, generation } = argument;
    acknowledged.set(indexId, Math.max(generation, acknowledged.get(indexId) ?? 0));
    this.#options.onAcknowledged?.();
    return null;
  }

  #forget(front: Front, reason: Error | null): void {
    this.#strangers.delete(front.channel);
    this.#fronts.delete(front);
    this.#logTap.forget(front);
    if (reason !== null) this.#options.log.warn(`a front was disconnected: ${reason.message}`);
    if (front.acknowledged.size > 0) this.#options.onAcknowledged?.();
  }
}
