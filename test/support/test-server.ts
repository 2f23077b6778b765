/**
 * Real server processes for tests: a free port, a fresh folder, the official client and bare HTTP,
 * an orderly stop and kill -9. They run what `npm run build` made; GANNET_DIST names another folder
 * than `dist`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Meilisearch } from 'meilisearch';
import { freePort } from './free-port.ts';
import { type HttpAnswer, type HttpRequestOptions, httpCall } from './http-request.ts';
import { processesOf } from './processes.ts';
import { PATIENCE_MS, until } from './until.ts';

export const DIST = resolve(
  process.env['GANNET_DIST'] ?? resolve(import.meta.dirname, '../../dist'),
);
const MAIN = resolve(DIST, 'src/main.js');
const BANNERS = ['listening on', '"msg":"serving"', 'indexer socket'];

export interface TestServerOptions {
  /** Flags besides the address, the data folder and the master key. */
  readonly flags?: readonly string[];
  /** The client and `call` send it, unless a call names another one. Default: none. */
  readonly masterKey?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Node's own. */
  readonly nodeFlags?: readonly string[];
  /** Id of the user that the process runs as; only root can choose. */
  readonly user?: number;
  /** Default: false, because a warm-up takes as much processor time as the rest of a start. */
  readonly isWarmedUp?: boolean;
  /**
   * Number, or `default` for that of a server. Default: 1, because the start of each takes a quarter of
   * a second of processor time; shared servers have as many as by default.
   */
  readonly queryThreads?: number | 'default';
  /** Default: a fresh folder that `cleanUp` removes. */
  readonly dbPath?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Ends with this process, not with `cleanUp`. Default: false. */
  readonly isShared?: boolean;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export type ChildName = 'front' | 'indexer';

/** Variables of this machine must not configure the servers of a test. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')),
  );
}

const folders: string[] = [];
const running = new Set<ServerProcess>();

export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gannet-test-'));
  folders.push(folder);
  return folder;
}

/** Kills what still runs and removes the fresh folders; for `afterAll`. */
export async function cleanUp(): Promise<void> {
  await Promise.all([...running].map((server) => server.killAll()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** The official client, with the patience of tests. */
export const clientOf = (host: string, apiKey?: string): Meilisearch =>
  new Meilisearch({
    host,
    ...(apiKey !== undefined && { apiKey }),
    // Each look at a task costs the machine some milliseconds of processor time.
    defaultWaitOptions: { interval: 25, timeout: PATIENCE_MS },
  });

/** Exit code and report of the offline verifier, which runs in this process. */
export async function checkIndex(
  dbPath: string,
): Promise<{ readonly code: number; readonly report: string }> {
  const verifier = (await import(resolve(DIST, 'scripts/check-index.js'))) as {
    checkIndex(dir: string, print: (line: string) => void): Promise<number>;
  };
  const lines: string[] = [];
  const code = await verifier.checkIndex(dbPath, (line) => void lines.push(line));
  return { code, report: lines.join('\n') };
}

type ProcessOptions = Pick<TestServerOptions, 'env' | 'cwd' | 'nodeFlags' | 'user' | 'isShared'>;

/** Runs `end` when the worker of the tests ends. Vitest ends it by SIGTERM, after which Node emits no `exit`. */
function atWorkerEnd(end: () => void): void {
  process.once('exit', end);
  process.once('SIGTERM', () => {
    end();
    process.kill(process.pid, 'SIGTERM');
  });
}

/** One started command line, in a process group of its own. */
export class ServerProcess {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  #stdout = '';
  #stderr = '';
  #exit: Exit | null = null;
  /** True while it serves and no test has ended it: an end is then reported. */
  #mustRun = false;

  constructor(
    args: readonly string[],
    { env = {}, cwd = tmpdir(), nodeFlags = [], user, isShared = false }: ProcessOptions = {},
  ) {
    this.#child = spawn(process.execPath, [...nodeFlags, MAIN, ...args], {
      cwd,
      env: { ...cleanEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      ...(user !== undefined && { uid: user, gid: user }),
    });
    if (this.#child.pid === undefined) throw new Error(`cannot start ${process.execPath}`);
    this.pid = this.#child.pid;
    if (isShared) atWorkerEnd(() => this.#killGroup());
    else running.add(this);
    this.#child.stdout?.on('data', (chunk) => {
      this.#stdout += String(chunk);
    });
    this.#child.stderr?.on('data', (chunk) => {
      this.#stderr += String(chunk);
    });
    this.exited = new Promise((done) => {
      this.#child.once('close', (code, signal) => {
        running.delete(this);
        if (this.#mustRun)
          process.stderr.write(`${MAIN} ended with ${code ?? signal}: ${this.#stderr}\n`);
        this.#exit = { code, signal, stdout: this.#stdout, stderr: this.#stderr };
        done(this.#exit);
      });
    });
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Resolves when the banner is printed; rejects with what was printed instead. */
  async ready(): Promise<void> {
    await until(`banner of ${this.#child.spawnargs.join(' ')}`, () => {
      if (this.#exit !== null)
        throw new Error(`ended with ${this.#exit.code}: ${this.#exit.stderr}`);
      return BANNERS.some((banner) => this.#stdout.includes(banner));
    }).catch((error: Error) => {
      throw new Error(`${error.message}; it says: ${this.#stderr}`);
    });
    this.#mustRun = true;
  }

  /** Process id of a child of the supervisor, null while it is down. */
  pidOf(name: ChildName): number | null {
    return (
      processesOf(this.pid).find(({ title }) => title.startsWith(`gannet ${name}`))?.pid ?? null
    );
  }

  signal(signal: NodeJS.Signals): void {
    this.#mustRun = false;
    this.#child.kill(signal);
  }

  /** SIGTERM to the first process only, as an operator sends it. */
  async stop(): Promise<Exit> {
    this.signal('SIGTERM');
    const timer = setTimeout(() => void this.killAll(), PATIENCE_MS);
    const exit = await this.exited;
    clearTimeout(timer);
    return exit;
  }

  /** kill -9 of the supervisor and all its children at once. */
  async killAll(): Promise<void> {
    this.#killGroup();
    await this.exited;
  }

  #killGroup(): void {
    this.#mustRun = false;
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

export class TestServer extends ServerProcess {
  readonly port: number;
  readonly dbPath: string;
  readonly url: string;
  readonly client: Meilisearch;
  /** Headers of calls that name no key. */
  readonly #headers: Readonly<Record<string, string>>;

  /** Does not wait until it serves. */
  constructor(port: number, dbPath: string, options: TestServerOptions = {}) {
    const { flags = [], masterKey, isWarmedUp = false, ...rest } = options;
    const { queryThreads = rest.isShared === true ? 'default' : 1 } = options;
    const address = ['--db-path', dbPath, '--http-addr', `127.0.0.1:${port}`];
    const key = masterKey === undefined ? [] : ['--master-key', masterKey];
    const threads = queryThreads === 'default' ? [] : ['--query-threads', String(queryThreads)];
    const warmUp = isWarmedUp ? [] : ['--no-warm-up'];
    super([...address, ...key, ...threads, ...warmUp, ...flags], rest);
    this.port = port;
    this.dbPath = dbPath;
    this.url = `http://127.0.0.1:${port}`;
    this.client = clientOf(this.url, masterKey);
    this.#headers = masterKey === undefined ? {} : { authorization: `Bearer ${masterKey}` };
  }

  /** Resolves when the server serves. */
  static async start(options: TestServerOptions = {}): Promise<TestServer> {
    const dbPath = options.dbPath ?? join(freshFolder(), 'data');
    const server = new TestServer(options.port ?? (await freePort()), dbPath, options);
    await server.ready();
    return server;
  }

  call(method: string, path: string, options: HttpRequestOptions = {}): Promise<HttpAnswer> {
    const headers = { ...this.#headers, ...options.headers };
    return httpCall(this.port, method, path, { ...options, headers });
  }
}
