/**
 * Front side of the indexer protocol: one connection that reconnects, the published manifest of
 * every index, and the enabled features. Manifests are kept while the indexer is down, so reads
 * continue; after a reconnection they are reconciled on `ready`.
 */
import { connect, type Socket } from 'node:net';
import { ApiError } from '../../core/errors.ts';
import { Waiters } from '../../core/waiters.ts';
import { AliasTable, NO_ALIASES } from '../../model/alias.ts';
import type { ApiKey } from '../../model/api-key.ts';
import { NO_FEATURES } from '../../model/features.ts';
import { NO_NETWORK } from '../../model/network.ts';
import type { UsageReport } from '../../model/usage-report.ts';
import type { Logger } from '../../observability/logger.ts';
import type { Metric } from '../../observability/metric.ts';
import { CheckedIndexes } from '../replica/checked-indexes.ts';
import { type PublishedIndex, PublishedIndexes } from '../replica/published-indexes.ts';
import { PublishedRules } from '../replica/published-rules.ts';
import { toSocketAddress } from './address.ts';
import { Channel, type ChannelLimits, ConnectionLost } from './channel.ts';
import type {
  FrontRequests,
  FrontState,
  IndexerEvents,
  IndexerRequests,
} from './indexer-protocol.ts';
import { type LogListener, requireLevels } from './log-tap.ts';

export interface IndexerClientOptions {
  /** Path of a unix socket, or `host:port`. */
  readonly address: string;
  /** Read before each attempt to connect; null while there is no secret. */
  readonly secret: () => string | null;
  /** Folder of an index's files, as this front sees it. */
  readonly locate: (indexId: number) => string;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly requestTimeoutMs?: number;
  /** How long a request waits for a connection before it fails. */
  readonly connectWaitMs?: number;
  readonly limits?: Partial<ChannelLimits>;
  /**
   * Receives every API key; all existing keys are published between `beginReplay` and `endReplay`.
   */
  readonly keys: KeyListener;
  readonly logs?: LogListener;
  readonly metrics?: () => readonly Metric[] | Promise<readonly Metric[]>;
  readonly takeUsage?: () => UsageReport;
  /** Called for each generation published while this front is connected. */
  readonly onPublished?: (published: PublishedIndex) => void;
  /** Called when the files of an index are about to be deleted on this node. */
  readonly onNotLocal?: (published: PublishedIndex) => void;
  /**
   * Resolves when this front reads no older generation of the index; the indexer is notified after
   * that.
   */
  readonly released?: (published: PublishedIndex) => Promise<void>;
}

interface KeyListener {
  beginReplay(): void;
  endReplay(): void;
  publish(key: ApiKey): void;
  remove(uid: string): void;
}

type FrontChannel = Channel<IndexerRequests, FrontRequests, Record<never, never>, IndexerEvents>;

/** Idempotent requests, sent once more after a lost connection. */
const READS: ReadonlySet<keyof IndexerRequests> = new Set([
  'listTasks',
  'getTask',
  'waitForTask',
  'listBatches',
  'getBatch',
  'getPayload',
  'watchTasks',
  'watchBatches',
  'instanceStats',
  'indexingNow',
  'listWebhooks',
  'getWebhook',
  'getDeliveries',
  'metrics',
  'previewTelemetry',
]);
/**
 * Delay between attempts: a tenth of the indexer's downtime, within these bounds. Short after a
 * restart, long after a while.
 */
const RETRY_SHARE = 0.1;
const RETRY_MS_MIN = 10;
const RETRY_MS_MAX = 1000;

const NOBODY: LogListener = {
  line: () => undefined,
  streamEnded: () => undefined,
  levelsChanged: () => undefined,
};

export class IndexerClient {
  readonly #options: Required<Omit<IndexerClientOptions, 'limits'>> &
    Pick<IndexerClientOptions, 'limits'>;
  readonly indexes: PublishedIndexes;
  readonly searchRules = new PublishedRules();
  readonly checked = new CheckedIndexes((indexId) => void this.#checkFirst(indexId));
  readonly #openWaits = new Waiters();
  readonly #readyWaits = new Waiters();
  #state: FrontState = {
    writer: { isHere: true, url: null },
    features: NO_FEATURES,
    network: NO_NETWORK,
    aliases: [],
    chats: [],
  };
  #aliases = NO_ALIASES;
  /** The connection whose handshake is under way. */
  #opening: FrontChannel | null = null;
  #channel: FrontChannel | null = null;
  #isReady = false;
  #isInitialised = false;
  /** Why the last connection ended, so that each reason is logged once. */
  #lastLoss = '';
  #awaySinceMs = performance.now();
  #retryTimer: NodeJS.Timeout | null = null;
  #isClosed = false;
  readonly #handlers: { readonly [K in keyof IndexerEvents]: (data: IndexerEvents[K]) => void } = {
    ready: () => this.#completeReplay(),
    indexPublished: ({ manifest }) => this.#publish(manifest),
    indexRemoved: ({ uid, indexId }) => {
      this.indexes.remove(uid, indexId);
      this.checked.forget(indexId);
    },
    indexChecked: ({ indexId, damage, isLocal = true }) => {
      if (isLocal) this.checked.set(indexId, damage);
      else this.#notLocal(indexId);
    },
    stateChanged: (change) => {
      this.#state = { ...this.#state, ...change };
      if (change.aliases === undefined) return;
      this.#aliases = new AliasTable(change.aliases);
      this.searchRules.namesChanged();
    },
    keyPublished: (key) => this.#options.keys.publish(key),
    keyRemoved: ({ uid }) => this.#options.keys.remove(uid),
    searchRulePublished: (rule) => this.searchRules.publish(rule),
    searchRulesRemoved: ({ uids }) => this.searchRules.remove(uids),
    logLine: ({ line }) => this.#options.logs.line(line),
    logStreamEnded: () => this.#options.logs.streamEnded(),
    logLevelsChanged: ({ levels }) => this.#options.logs.levelsChanged(requireLevels(levels)),
  };

  constructor(options: IndexerClientOptions) {
    this.#options = {
      requestTimeoutMs: 60_000,
      connectWaitMs: 5000,
      released: () => Promise.resolve(),
      metrics: () => [],
      takeUsage: () => ({}),
      logs: NOBODY,
      onPublished: () => undefined,
      onNotLocal: () => undefined,
      ...options,
    };
    this.indexes = new PublishedIndexes(options.locate);
  }

  start(): void {
    this.#connect();
  }

  /** True from the first `ready` on, while connected. */
  get isConnected(): boolean {
    return this.#channel !== null && this.#isReady;
  }

  /** True from the first `ready` on, permanently: indexes and keys are loaded. */
  get isInitialised(): boolean {
    return this.#isInitialised;
  }

  /** As last received from the indexer. */
  get state(): FrontState {
    return this.#state;
  }

  get aliases(): AliasTable {
    return this.#aliases;
  }

  /**
   * Resolves to true when all manifests of the current connection have arrived, to false after
   * `timeoutMs`.
   */
  async whenReady(timeoutMs: number): Promise<boolean> {
    return this.isConnected || this.#readyWaits.wait(timeoutMs);
  }

  /**
   * Rejects with the `ApiError` of the indexer, or `indexer_unavailable` when it cannot be reached
   * or does not answer in time.
   */
  async request<K extends keyof IndexerRequests>(
    name: K,
    argument: IndexerRequests[K][0],
    { timeoutMs = this.#options.requestTimeoutMs }: { readonly timeoutMs?: number } = {},
  ): Promise<IndexerRequests[K][1]> {
    const channel = this.#channel ?? (await this.#connected());
    try {
      return await channel.request(name, argument, { timeoutMs });
    } catch (error) {
      if (!(error instanceof ConnectionLost) || !READS.has(name) || this.#isClosed) throw error;
    }
    return (await this.#connected()).request(name, argument, { timeoutMs });
  }

  /** Ends the connection and rejects all pending requests; may be called more than once. */
  async close(graceMs = 1000): Promise<void> {
    this.#isClosed = true;
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer);
    this.#openWaits.end();
    this.#opening?.destroy();
    await this.#channel?.drain(graceMs);
  }

  async #connected(): Promise<FrontChannel> {
    if (this.#channel === null && !this.#isClosed)
      await this.#openWaits.wait(this.#options.connectWaitMs);
    if (this.#channel !== null) return this.#channel;
    throw new ApiError(
      'indexer_unavailable',
      'The indexer is unavailable at the moment. Please retry later.',
    );
  }

  #connect(): void {
    const secret = this.#secret();
    if (secret === null) {
      this.#retry();
      return;
    }
    const socket = connect(toSocketAddress(this.#options.address));
    const onFailure = () => this.#retry();
    socket.once('error', onFailure);
    socket.once('connect', () => {
      socket.removeListener('error', onFailure);
      if (this.#isClosed) socket.destroy();
      else this.#open(socket, secret);
    });
  }

  #secret(): string | null {
    try {
      return this.#options.secret();
    } catch (error) {
      this.#tellLoss(`its secret cannot be read: ${(error as Error).message}`);
      return null;
    }
  }

  #open(socket: Socket, secret: string): void {
    const channel: FrontChannel = new Channel<
      IndexerRequests,
      FrontRequests,
      Record<never, never>,
      IndexerEvents
    >({
      socket,
      side: 'front',
      secret,
      handlers: {
        settle: () => null,
        takeReadIndexes: () => this.checked.takeRead(),
        metrics: () => this.#options.metrics(),
        takeUsage: () => this.#options.takeUsage(),
      },
      onOpen: () => this.#opened(channel),
      onEvent: (name, data) => this.#handlers[name]?.(data),
      onClose: (reason) => this.#lose(reason),
      onBug: (error, request) =>
        this.#options.log.warn(`message \`${request}\` of the indexer failed: ${String(error)}`),
      ...(this.#options.limits && { limits: this.#options.limits }),
    });
    this.#opening = channel;
  }

  /** The replay follows; entries that it does not name are removed at its end. */
  #opened(channel: FrontChannel): void {
    this.indexes.beginReplay();
    this.#options.keys.beginReplay();
    this.searchRules.beginReplay();
    this.#opening = null;
    this.#channel = channel;
    this.#openWaits.end();
  }

  #lose(reason: Error | null): void {
    if (this.#isReady) this.#awaySinceMs = performance.now();
    this.checked.endWaits();
    this.#opening = null;
    this.#channel = null;
    this.#isReady = false;
    if (this.#isClosed) return;
    this.#tellLoss(reason?.message ?? 'it was closed');
    this.#retry();
  }

  #tellLoss(loss: string): void {
    if (loss !== this.#lastLoss)
      this.#options.log.warn(`no connection to the indexer: ${loss}; reconnecting`);
    this.#lastLoss = loss;
  }

  #retry(): void {
    if (this.#isClosed) return;
    const awayMs = performance.now() - this.#awaySinceMs;
    const delayMs = Math.min(Math.max(awayMs * RETRY_SHARE, RETRY_MS_MIN), RETRY_MS_MAX);
    this.#retryTimer = setTimeout(() => this.#connect(), delayMs);
  }

  #completeReplay(): void {
    this.indexes.endReplay();
    this.#options.keys.endReplay();
    this.searchRules.endReplay();
    this.checked.expect(this.indexes.list().map(({ manifest }) => manifest.id));
    this.#isReady = true;
    this.#isInitialised = true;
    this.#lastLoss = '';
    this.#options.log.info('connected to the indexer');
    this.#readyWaits.end();
  }

  #notLocal(indexId: number): void {
    this.checked.notLocal(indexId);
    const left = this.indexes.list().find(({ manifest }) => manifest.id === indexId);
    if (left !== undefined && this.#isReady) this.#options.onNotLocal(left);
  }

  /** A failure needs no handling: the check then comes later. */
  async #checkFirst(indexId: number): Promise<void> {
    const { requestTimeoutMs: timeoutMs } = this.#options;
    await this.#channel?.request('checkFirst', { indexId }, { timeoutMs }).catch(() => undefined);
  }

  #publish(encoded: string): void {
    const published = this.indexes.publish(encoded);
    if (this.#isReady) this.#options.onPublished(published);
    void this.#acknowledge(published, this.#channel);
  }

  /** A failure needs no handling: the indexer drops the acknowledgements of a lost connection. */
  async #acknowledge(published: PublishedIndex, channel: FrontChannel | null): Promise<void> {
    const { id: indexId, generation } = published.manifest;
    try {
      await this.#options.released(published);
      await (channel ?? this.#channel)?.request(
        'acknowledge',
        { indexId, generation },
        { timeoutMs: this.#options.requestTimeoutMs },
      );
    } catch (error) {
      if (!this.#isClosed && this.isConnected) {
        this.#options.log.warn(
          `generation ${generation} of index ${indexId} was not acknowledged: ${String(error)}`,
        );
      }
    }
  }
}
