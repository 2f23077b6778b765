/**
 * Starts a server for tests of applications: `import { createServer } from 'gannet'`. The server
 * runs in separate processes, on a free port and a temporary folder, and ends when the creating
 * process exits.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface ServerOptions {
  /** Default: a temporary folder that `stop` removes. */
  readonly dbPath?: string;
  /** Default: none; every request is allowed. */
  readonly masterKey?: string;
  /** Default: a free port. */
  readonly port?: number;
  /** Further launch options, such as `['--max-indexing-memory', '256MiB']`. */
  readonly flags?: readonly string[];
  /** Time limit of the start in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
}

export interface CreatedServer {
  /** Such as `http://127.0.0.1:7700`. */
  readonly url: string;
  readonly dbPath: string;
  /** Resolves when all of its processes have ended and the temporary folder is removed. */
  stop(): Promise<void>;
}

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));
const START_MS_MAX = 30_000;
/** Characters kept of the output of a failed start. */
const COMPLAINT_CHARACTERS_MAX = 10_000;

/** @throws Error with the server's output when it does not serve in time */
export async function createServer(options: ServerOptions = {}): Promise<CreatedServer> {
  const { dbPath, masterKey, port = 0, flags = [], timeoutMs = START_MS_MAX } = options;
  const folder = dbPath ?? fs.mkdtempSync(path.join(os.tmpdir(), 'gannet-'));
  const args = [
    '--http-addr',
    `127.0.0.1:${port}`,
    '--db-path',
    folder,
    '--experimental-logs-mode',
    'JSON',
  ];
  const child = spawn(process.execPath, [MAIN, ...args, ...flags], {
    env: environment(masterKey),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaint = '';
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    // A process that the system could not start emits no `exit`.
    child.once('error', ({ message }) => {
      complaint = message;
      resolve();
    });
  });
  const killWithParent = () => void child.kill('SIGKILL');
  process.once('exit', killWithParent);
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    process.off('exit', killWithParent);
    if (dbPath === undefined) fs.rmSync(folder, { recursive: true, force: true });
  };
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-COMPLAINT_CHARACTERS_MAX);
  });
  try {
    const url = await Promise.race([
      servingUrl(createInterface(child.stdout)),
      ended.then(() => null),
      new Promise<null>((resolve) => setTimeout(resolve, timeoutMs, null).unref()),
    ]);
    if (url === null) throw new Error(`the server did not start: ${complaint.trim()}`);
    return { url, dbPath: folder, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The environment without variables that would configure the server. */
function environment(masterKey: string | undefined): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'));
  return {
    ...Object.fromEntries(others),
    ...(masterKey !== undefined && { SVC_MASTER_KEY: masterKey }),
  };
}

/** Resolves with the address in the line that reports readiness. Later output is discarded. */
const servingUrl = (lines: AsyncIterable<string> & NodeJS.EventEmitter): Promise<string> =>
  new Promise((resolve) => {
    lines.on('line', (line: string) => {
      if (!line.includes('"msg":"serving"')) return;
      const { url } = JSON.parse(line) as { url?: string };
      if (url !== undefined) resolve(url);
    });
  });
