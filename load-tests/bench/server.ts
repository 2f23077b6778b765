/**
 * A server of this build on a free port and a fresh folder, with its memory and disk as the system
 * sees them.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import http from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const MAIN = resolve(import.meta.dirname, '../../src/main.js');
const START_MS = 30_000;

export interface BenchServer {
  readonly port: number;
  readonly pid: number;
  readonly url: string;
  call(
    method: string,
    path: string,
    body?: unknown,
    contentType?: string,
  ): Promise<{ status: number; body: unknown }>;
  /** Sends a write and waits for its task. */
  settle(method: string, path: string, body?: unknown, contentType?: string): Promise<void>;
  memory(): { readonly nowBytes: number; readonly peakBytes: number };
  diskBytes(): number;
  /** Of the files of all indexes. */
  indexBytes(): number;
  /** Ends it and starts it again on the same folder, until it is healthy. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** @param kept data folder that outlives the server; absent = a fresh one that does not */
export async function startServer(
  flags: readonly string[] = [],
  kept?: string,
): Promise<BenchServer> {
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'gannet-bench-'));
  const port = await freePort();
  const begin = (): ChildProcess =>
    spawn(
      process.execPath,
      [
        MAIN,
        '--db-path',
        folder,
        '--http-addr',
        `127.0.0.1:${port}`,
        '--log-level',
        'WARN',
        ...flags,
      ],
      { stdio: 'ignore' },
    );
  let child = begin();
  const end = async (): Promise<void> => {
    child.kill('SIGTERM');
    await new Promise((done) => child.once('exit', done));
  };
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  const call: BenchServer['call'] = (method, path, body, contentType = 'application/json') =>
    request(agent, port, method, path, body, contentType);
  const server: BenchServer = {
    port,
    get pid() {
      return child.pid ?? -1;
    },
    url: `http://127.0.0.1:${port}`,
    call,
    settle: (method, path, body, contentType) => settle(call, method, path, body, contentType),
    memory: () => memoryOf(child),
    diskBytes: () => folderBytes(folder),
    indexBytes: () => folderBytes(join(folder, 'indexes')),
    restart: async () => {
      await end();
      child = begin();
      await untilHealthy(server);
    },
    stop: async () => {
      agent.destroy();
      await end();
      if (kept === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
  await untilHealthy(server);
  return server;
}

async function untilHealthy(server: BenchServer): Promise<void> {
  for (const end = Date.now() + START_MS; ; ) {
    try {
      if ((await server.call('GET', '/health')).status === 200) return;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await pause(50);
  }
}

function request(
  agent: http.Agent,
  port: number,
  method: string,
  path: string,
  body: unknown,
  contentType: string,
) {
  const payload =
    body === undefined
      ? undefined
      : Buffer.isBuffer(body)
        ? body
        : Buffer.from(JSON.stringify(body));
  const headers = payload ? { 'content-type': contentType, 'content-length': payload.length } : {};
  return new Promise<{ status: number; body: unknown }>((done, fail) => {
    const sent = http.request(
      { agent, host: '127.0.0.1', port, method, path, headers },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => {
          const text = Buffer.concat(parts).toString();
          done({ status: answer.statusCode ?? 0, body: text === '' ? null : JSON.parse(text) });
        });
      },
    );
    sent.on('error', fail);
    sent.end(payload);
  });
}

async function settle(
  call: BenchServer['call'],
  method: string,
  path: string,
  body?: unknown,
  contentType?: string,
): Promise<void> {
  const answer = (await call(method, path, body, contentType)).body as { taskUid?: number };
  if (answer.taskUid === undefined)
    throw new Error(`no task for ${method} ${path}: ${JSON.stringify(answer)}`);
  for (;;) {
    const task = (await call('GET', `/tasks/${answer.taskUid}`)).body as {
      status: string;
      error: unknown;
    };
    if (task.status === 'succeeded') return;
    if (task.status === 'failed' || task.status === 'canceled')
      throw new Error(`task ${answer.taskUid} ${task.status}: ${JSON.stringify(task.error)}`);
    await pause(5);
  }
}

/**
 * Proportional share of memory now, and the sum of the peaks, of the process and its descendants
 * (Linux).
 */
function memoryOf({ pid }: ChildProcess): { nowBytes: number; peakBytes: number } {
  const parents = new Map<string, string>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = readText(`/proc/${entry}/stat`);
    parents.set(entry, stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? '');
  }
  const family = new Set([String(pid)]);
  for (let grew = true; grew; ) {
    grew = false;
    for (const [process, parent] of parents) {
      if (family.has(parent) && !family.has(process)) {
        family.add(process);
        grew = true;
      }
    }
  }
  let nowBytes = 0;
  let peakBytes = 0;
  for (const process of family) {
    nowBytes +=
      1024 * Number(/Pss:\s+(\d+)/.exec(readText(`/proc/${process}/smaps_rollup`))?.[1] ?? 0);
    peakBytes +=
      1024 * Number(/VmHWM:\s+(\d+)/.exec(readText(`/proc/${process}/status`))?.[1] ?? 0);
  }
  return { nowBytes, peakBytes };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** As the disk has them; what vanishes meanwhile counts nothing. */
function folderBytes(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  const entries = found.isDirectory() ? readdirSync(path) : [];
  return entries.reduce((sum, entry) => sum + folderBytes(join(path, entry)), found.blocks * 512);
}

/** One that nobody listens at now. */
export function freePort(): Promise<number> {
  return new Promise((done) => {
    const probe = createServer();
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => done(port));
    });
  });
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
