/**
 * A PostgreSQL server of the installed programs, with logical replication, in a folder of its own.
 * `hasPostgres` is false where the programs are not installed.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const POLL_MS = 20;
const CONNECTIONS = 6;
const STARTS_MAX = 100;
const INSTALLED = '/usr/lib/postgresql';
const SETTINGS = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
wal_level = logical
max_replication_slots = 50
fsync = off
`;

/** Folder of the newest programs; null = none are installed. */
function programs(): string | null {
  if (!existsSync(INSTALLED)) return null;
  const [newest] = readdirSync(INSTALLED).sort((a, b) => Number(b) - Number(a));
  const folder = join(INSTALLED, newest ?? '', 'bin');
  return existsSync(join(folder, 'initdb')) ? folder : null;
}

const bin = programs();
export const hasPostgres = bin !== null;

/** PostgreSQL refuses to run as root. */
const isRoot = process.getuid?.() === 0;
const asOther = (program: string, args: readonly string[]): readonly [string, string[]] =>
  isRoot
    ? [
        'setpriv',
        ['--reuid=nobody', '--regid=nogroup', '--clear-groups', join(bin ?? '', program), ...args],
      ]
    : [join(bin ?? '', program), [...args]];

/** To the user that PostgreSQL runs as, who may also enter the folders above. */
function giveAway(data: string): void {
  execFileSync('chown', ['nobody:nogroup', data]);
  for (let above = dirname(data); above !== dirname(above); above = dirname(above)) {
    const { mode } = statSync(above);
    if ((mode & 0o001) === 0) chmodSync(above, mode | 0o011);
  }
}

export class PostgresServer {
  readonly address: string;
  readonly pool: pg.Pool;
  readonly #folder: string;
  readonly #port: number;
  #child: ChildProcess | null = null;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
    this.address = `postgres://gannet@127.0.0.1:${port}/postgres`;
    this.pool = new pg.Pool({ connectionString: this.address, max: CONNECTIONS });
    this.pool.on('error', () => undefined);
  }

  /** @param folder empty. @param settings lines of postgresql.conf */
  static async start(folder: string, port: number, settings = ''): Promise<PostgresServer> {
    const data = join(folder, 'data');
    mkdirSync(data);
    if (isRoot) giveAway(data);
    const form = ['--no-locale', '-E', 'UTF8', '--no-sync'];
    const [program, args] = asOther('initdb', ['-D', data, '-U', 'gannet', '-A', 'trust', ...form]);
    execFileSync(program, args, { stdio: 'ignore', cwd: '/' });
    const server = new PostgresServer(data, port);
    appendFileSync(join(data, 'postgresql.conf'), SETTINGS + settings);
    await server.run();
    return server;
  }

  /** Statements without parameters; the rows of the last one. */
  async query<Row extends object>(text: string): Promise<readonly Row[]> {
    return (await this.pool.query<Row>(text)).rows;
  }

  /** Starts the server, also after `kill`: processes of the killed one may be ending still. */
  async run(): Promise<void> {
    const [program, args] = asOther('postgres', ['-D', this.#folder, '-p', String(this.#port)]);
    for (let starts = 0; starts < STARTS_MAX; starts++) {
      const child = spawn(program, args, { stdio: 'ignore', cwd: '/' });
      this.#child = child;
      while (child.exitCode === null) {
        if ((await this.query('SELECT 1').catch(() => null)) !== null) return;
        await sleep(POLL_MS);
      }
      await sleep(POLL_MS);
    }
    throw new Error('PostgreSQL does not start');
  }

  /** Ends the server in order, and starts it with further settings. @param settings lines of postgresql.conf */
  async restart(settings: string): Promise<void> {
    appendFileSync(join(this.#folder, 'postgresql.conf'), settings);
    await this.kill('SIGINT');
    await this.run();
  }

  /** kill -9 of the server; its other processes end by themselves. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  async stop(): Promise<void> {
    await this.pool.end();
    await this.kill('SIGQUIT');
  }
}
