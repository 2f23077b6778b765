/**
 * A server of this build, or of another, on a free port and a fresh folder, with its memory and disk
 * as the system sees them.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import http from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { familyBytes } from './process-figures.ts';

const THIS_BUILD = resolve(import.meta.dirname, '../..');
const START_MS = 120_000;
const HEALTH_POLL_MS = 20;
const TASK_POLL_MS = 5;

interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** The body as it came. */
  readonly text: string;
}

interface Task {
  readonly status: string;
  readonly error: unknown;
  readonly details: unknown;
  readonly duration: string;
}

/** Method, path, body as JSON or as bytes, and their type. */
type RequestParts = [method: string, path: string, body?: unknown, contentType?: string];

/** A server that answers on a port of this machine. */
export interface ReachableServer {
  readonly port: number;
  call(...request: RequestParts): Promise<Answer>;
  /** Sends a write. @returns the number of its task */
  enqueue(...request: RequestParts): Promise<number>;
  /** The task once it has succeeded. */
  settled(taskUid: number): Promise<Task>;
  /** Sends a write and waits for its task. */
  settle(...request: RequestParts): Promise<Task>;
}

export interface BenchServer extends ReachableServer {
  readonly pid: number;
  readonly url: string;
  /** Until no task waits; none may have failed. */
  untilIdle(): Promise<void>;
  memory(): { readonly nowBytes: number; readonly peakBytes: number };
  diskBytes(): number;
  /** Of the files of all indexes. */
  indexBytes(): number;
  /** Ends it and starts it again on the same folder, until it is healthy. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface ServerPlace {
  /** Data folder that outlives the server; absent = a fresh one that does not. */
  readonly folder?: string | undefined;
  /** Folder of a build; absent = this one. */
  readonly build?: string | undefined;
}

export async function startServer(
  flags: readonly string[] = [],
  { folder: kept, build = THIS_BUILD }: ServerPlace = {},
): Promise<BenchServer> {
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'gannet-bench-'));
  const port = await freePort();
  const own = ['--db-path', folder, '--http-addr', `127.0.0.1:${port}`, '--log-level', 'WARN'];
  const begin = (): ChildProcess =>
    spawn(process.execPath, [join(build, 'src/main.js'), ...own, ...flags], { stdio: 'ignore' });
  let child = begin();
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await new Promise((done) => child.once('exit', done));
  };
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
  const call: BenchServer['call'] = (...parts) => send({ agent, port }, parts);
  const untilHealthy = async (): Promise<void> => {
    for (const endMs = Date.now() + START_MS; ; await sleep(HEALTH_POLL_MS)) {
      const health = await call('GET', '/health').catch(() => null);
      if (health?.status === 200) return;
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
      if (Date.now() > endMs) throw new Error(`the server is not healthy after ${START_MS} ms`);
    }
  };
  const server: BenchServer = {
    port,
    get pid() {
      return child.pid ?? -1;
    },
    url: `http://127.0.0.1:${port}`,
    call,
    ...tasksBy(call),
    memory: () => familyBytes(server.pid),
    diskBytes: () => folderBytes(folder),
    indexBytes: () => folderBytes(join(folder, 'indexes')),
    restart: async () => {
      await end();
      child = begin();
      await untilHealthy();
    },
    stop: async () => {
      agent.destroy();
      await end();
      if (kept === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
  await untilHealthy();
  return server;
}

/** A running server. @param key of its API; absent = none */
export function serverAt(port: number, key?: string): ReachableServer {
  const agent = new http.Agent({ keepAlive: true });
  const call: BenchServer['call'] = (...parts) => send({ agent, port, key }, parts);
  const { enqueue, settled, settle } = tasksBy(call);
  return { port, call, enqueue, settled, settle };
}

interface Connections {
  readonly agent: http.Agent;
  readonly port: number;
  readonly key?: string | undefined;
}

function send(connections: Connections, request: RequestParts): Promise<Answer> {
  const { agent, port, key } = connections;
  const [method, path, body, contentType = 'application/json'] = request;
  const payload =
    body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const headers = {
    ...(payload ? { 'content-type': contentType, 'content-length': payload.length } : {}),
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
  return new Promise((done, fail) => {
    const sent = http.request(
      { agent, host: '127.0.0.1', port, method, path, headers },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => {
          const text = Buffer.concat(parts).toString();
          const isJson = answer.headers['content-type']?.startsWith('application/json') ?? false;
          done({ status: answer.statusCode ?? 0, body: isJson ? JSON.parse(text) : null, text });
        });
      },
    );
    // One that was kept may have been closed while this process did something else.
    sent.on('error', (error) => {
      if (sent.reusedSocket) send(connections, request).then(done, fail);
      else fail(error);
    });
    sent.end(payload);
  });
}

/** Writes and what becomes of them. */
function tasksBy(
  call: BenchServer['call'],
): Pick<BenchServer, 'enqueue' | 'settled' | 'settle' | 'untilIdle'> {
  const enqueue: BenchServer['enqueue'] = async (...request) => {
    const { body, text } = await call(...request);
    const { taskUid } = (body ?? {}) as { readonly taskUid?: number };
    if (taskUid === undefined) throw new Error(`no task for ${request[0]} ${request[1]}: ${text}`);
    return taskUid;
  };
  const settled: BenchServer['settled'] = async (taskUid) => {
    for (;;) {
      const task = (await call('GET', `/tasks/${taskUid}`)).body as Task;
      if (task.status === 'succeeded') return task;
      if (task.status === 'failed' || task.status === 'canceled')
        throw new Error(`task ${taskUid} ${task.status}: ${JSON.stringify(task.error)}`);
      await sleep(TASK_POLL_MS);
    }
  };
  const countOf = async (statuses: string): Promise<number> => {
    const { body } = await call('GET', `/tasks?statuses=${statuses}&limit=1`);
    return (body as { readonly total: number }).total;
  };
  return {
    enqueue,
    settled,
    settle: async (...request) => settled(await enqueue(...request)),
    untilIdle: async () => {
      while ((await countOf('enqueued,processing')) > 0) await sleep(HEALTH_POLL_MS);
      const failed = await countOf('failed');
      if (failed > 0) throw new Error(`${failed} tasks have failed`);
    },
  };
}

/** As the disk has them; what vanishes meanwhile counts nothing. */
function folderBytes(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  const entries = found.isDirectory() ? readdirSync(path) : [];
  return entries.reduce((sum, entry) => sum + folderBytes(join(path, entry)), found.blocks * 512);
}

/** A port without a listener. */
export function freePort(): Promise<number> {
  return new Promise((done) => {
    const probe = createServer();
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => done(port));
    });
  });
}
