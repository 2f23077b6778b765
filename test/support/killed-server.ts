/**
 * A front and an indexer for tests that kill them: each runs alone, and begins again as soon as it
 * is gone, so that a kill costs one start and no pause. A process can be made to end at a named
 * point (`kill-points.mjs`).
 */
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Meilisearch } from 'meilisearch';
import { freePort } from './free-port.ts';
import { type HttpAnswer, type HttpRequestOptions, httpCall } from './http-request.ts';
import {
  clientOf,
  type Exit,
  freshFolder,
  ServerProcess,
  type TestServerOptions,
} from './test-server.ts';
import { until, untilNoneLeft } from './until.ts';

export type Role = 'front' | 'indexer';

/** A call at which the process that makes it is killed. */
export interface KillPoint {
  /**
   * Of a file (its path is the subject): bytes are synced, it gets its name, it is opened. Of a
   * database: a batch is written (name of its folder and of the tables). Of a socket: bytes are
   * sent.
   */
  readonly call: 'sync' | 'name' | 'open' | 'write' | 'send';
  readonly moment: 'before' | 'after';
  /** A regular expression. */
  readonly subject: string;
  /** A regular expression: found in the stack of the call. */
  readonly via?: string;
}

const PRELOADED = pathToFileURL(join(import.meta.dirname, 'kill-points.mjs')).href;

/** For the environment of processes that may die at a point. */
export const killPointEnvironment = (file: string): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import=${PRELOADED}`,
  KILL_POINT: file,
});

/** The next process that comes to the point dies there; resolves when one has. */
export async function nextDiesAt(point: KillPoint, file: string): Promise<void> {
  writeFileSync(`${file}.new`, JSON.stringify(point));
  renameSync(`${file}.new`, file);
  try {
    await until(`a process came to ${JSON.stringify(point)}`, () => !existsSync(file));
  } finally {
    rmSync(file, { force: true });
  }
}

const started = new Set<KilledServer>();

/** For `afterAll`, before `cleanUp`, whose kills would begin them again. */
export async function stopKilledServers(): Promise<void> {
  for (const server of started) await server.stop();
}

export class KilledServer {
  readonly dbPath: string;
  readonly port: number;
  readonly client: Meilisearch;
  readonly #options: Pick<TestServerOptions, 'flags'>;
  readonly #pointFile: string;
  readonly #processes = new Map<Role, ServerProcess>();
  #isStopping = false;

  private constructor(dbPath: string, port: number, options: Pick<TestServerOptions, 'flags'>) {
    started.add(this);
    this.dbPath = dbPath;
    this.port = port;
    this.#options = options;
    this.#pointFile = `${dbPath}.kill-point`;
    this.client = clientOf(`http://127.0.0.1:${port}`);
  }

  /** Resolves when both serve. */
  static async start(options: Pick<TestServerOptions, 'flags'> = {}): Promise<KilledServer> {
    const server = new KilledServer(join(freshFolder(), 'data'), await freePort(), options);
    for (const role of ['indexer', 'front'] as const) await server.#run(role).ready();
    return server;
  }

  call(method: string, path: string, options: HttpRequestOptions = {}): Promise<HttpAnswer> {
    return httpCall(this.port, method, path, options);
  }

  /** Resolves when the process is gone and another one begins. */
  async kill(role: Role): Promise<void> {
    await this.#processes.get(role)?.killAll();
  }

  /** Resolves when a process has come to the point and died. */
  diesAt(point: KillPoint): Promise<void> {
    return nextDiesAt(point, this.#pointFile);
  }

  /** Resolves when every task is finished, however often a process dies meanwhile. */
  untilFinished(): Promise<void> {
    return untilNoneLeft('all tasks are finished', async () => {
      const unfinished = '/tasks?statuses=enqueued,processing&limit=1';
      const answer = await this.call('GET', unfinished).catch(() => null);
      return (answer?.json as { total?: number } | undefined)?.total ?? null;
    });
  }

  async stop(): Promise<Exit[]> {
    this.#isStopping = true;
    const exits: Exit[] = [];
    for (const role of ['front', 'indexer'] as const) {
      const process = this.#processes.get(role);
      if (process !== undefined) exits.push(await process.stop());
    }
    return exits;
  }

  #run(role: Role): ServerProcess {
    const { flags = [] } = this.#options;
    const address = role === 'front' ? ['--http-addr', `127.0.0.1:${this.port}`] : [];
    const process = new ServerProcess(
      [
        ...['--role', role, '--db-path', this.dbPath, '--no-warm-up', '--query-threads', '1'],
        ...address,
        ...flags,
      ],
      { env: killPointEnvironment(this.#pointFile) },
    );
    this.#processes.set(role, process);
    void process.exited.then(({ signal }) => {
      if (!this.#isStopping && signal === 'SIGKILL') this.#run(role);
    });
    return process;
  }
}
