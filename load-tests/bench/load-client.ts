/**
 * Sends prepared requests over raw sockets from a process of its own, one at a time on each
 * connection, and parses only the end of each answer: a full parser would take the processor time
 * that is to be measured. Run as a process it executes commands; imported it starts one.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export interface Load {
  readonly port: number;
  readonly requests: readonly { readonly path: string; readonly body: string }[];
  readonly connections: number;
  /** Of the API; absent = none. */
  readonly key?: string;
}

export interface Flood extends Load {
  /** At most; absent = as many as are answered. */
  readonly perSecond?: number;
}

/** What came of a flood. */
export interface Flooded {
  readonly perSecond: number;
  /** Processor time of the client, in cores. */
  readonly cores: number;
}

/** One pass over all requests. */
export interface Pass {
  /** Of each request, in order. */
  readonly times: readonly number[];
  readonly seconds: number;
}

const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: *(\d+)/i;

/** One connection: reports the latency of each request. */
class Connection {
  readonly #socket: Socket;
  #left = 0;
  #head = '';
  #takesAny = false;
  #done: (error?: Error) => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (bytes) => this.#read(bytes));
    socket.on('close', () => this.#done(new Error('the server closed a connection')));
    socket.on('error', (error) => this.#done(error));
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /** @param takesAny whether refusals are answers, too */
  async time(request: Buffer, takesAny = false): Promise<number> {
    this.#takesAny = takesAny;
    const start = performance.now();
    await new Promise<void>((resolve, reject) => {
      this.#done = (error) => (error === undefined ? resolve() : reject(error));
      this.#socket.write(request);
    });
    return performance.now() - start;
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    if (this.#left > 0) {
      this.#left -= bytes.length;
      if (this.#left === 0) this.#done();
      return;
    }
    const end = bytes.indexOf(HEAD_END);
    this.#head += bytes.toString('latin1', 0, end < 0 ? bytes.length : end);
    if (end < 0) return;
    const head = this.#head;
    this.#head = '';
    const length = LENGTH.exec(head)?.[1];
    const isAnswer = this.#takesAny || head.startsWith('HTTP/1.1 200');
    if (!isAnswer || length === undefined) {
      this.#done(new Error(`no answer to measure: ${head}`));
      return;
    }
    this.#left = Number(length) - (bytes.length - end - HEAD_END.length);
    if (this.#left === 0) this.#done();
  }
}

const encode = ({ path, body }: Load['requests'][number], key: string | undefined): Buffer =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${key === undefined ? '' : `Authorization: Bearer ${key}\r\n`}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );

/** Kinds of requests come in turns, the same in each pass. */
const STRIDE = 7919;

const openAll = ({ port, connections }: Load): Promise<Connection[]> =>
  Promise.all(Array.from({ length: connections }, () => Connection.open(port)));

async function pass(load: Load): Promise<Pass> {
  const encoded = load.requests.map((request) => encode(request, load.key));
  const open = await openAll(load);
  const times = new Array<number>(encoded.length).fill(0);
  let next = 0;
  const start = performance.now();
  await Promise.all(
    open.map(async (connection) => {
      while (next < encoded.length) {
        const at = (next++ * STRIDE) % encoded.length;
        times[at] = await connection.time(encoded[at] as Buffer);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  for (const connection of open) connection.close();
  return { times, seconds };
}

/** All requests again and again until `isOver`, whatever the answers are. */
async function flood(load: Flood, isOver: () => boolean, onBegun: () => void): Promise<Flooded> {
  const encoded = load.requests.map((request) => encode(request, load.key));
  const open = await openAll(load);
  const startMs = performance.now();
  const cpuBefore = process.cpuUsage();
  let count = 0;
  const send = async (connection: Connection): Promise<void> => {
    const dueMs = startMs + (count * 1000) / (load.perSecond ?? Number.POSITIVE_INFINITY);
    const request = encoded[count++ % encoded.length] as Buffer;
    const earlyMs = dueMs - performance.now();
    if (earlyMs > 0) await setTimeout(earlyMs);
    await connection.time(request, true);
  };
  const first = Promise.all(open.map(send)).then(onBegun);
  await Promise.all(
    open.map(async (connection) => {
      await first;
      while (!isOver()) await send(connection);
    }),
  );
  const seconds = (performance.now() - startMs) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  for (const connection of open) connection.close();
  return { perSecond: count / seconds, cores: (user + system) / 1e6 / seconds };
}

type Order = { readonly pass: Load } | { readonly flood: Flood } | 'end';
type Report = Pass | Flooded | 'begun' | { readonly error: string };

export class LoadClient {
  readonly #process: ChildProcess;
  /** Resolvers that wait for the next report. */
  #onReport: (report: Report) => void = () => undefined;

  constructor() {
    this.#process = fork(fileURLToPath(import.meta.url), { serialization: 'advanced' });
    this.#process.on('message', (report: Report) => this.#onReport(report));
    this.#process.on('exit', () => this.#onReport({ error: 'stopped' }));
  }

  pass(load: Load): Promise<Pass> {
    return this.#ask<Pass>({ pass: load });
  }

  /** Resolves when each connection has been answered once; what it resolves to ends the flood. */
  async flood(load: Flood): Promise<() => Promise<Flooded>> {
    await this.#ask<'begun'>({ flood: load });
    return () => this.#ask<Flooded>('end');
  }

  stop(): void {
    this.#process.kill();
  }

  async #ask<T extends Report>(order: Order): Promise<T> {
    const reported = new Promise<Report>((resolve) => {
      this.#onReport = resolve;
    });
    this.#process.send(order);
    const report = await reported;
    if (typeof report === 'object' && 'error' in report) throw new Error(report.error);
    return report as T;
  }
}

function obey(): void {
  let isOver = false;
  const report = (report: Report): void => void process.send?.(report);
  const tellEnd = (work: Promise<Report>): void => {
    work.then(report, (error: unknown) => report({ error: String(error) }));
  };
  process.on('message', (order: Order) => {
    if (order === 'end') isOver = true;
    else if ('pass' in order) tellEnd(pass(order.pass));
    else {
      isOver = false;
      tellEnd(
        flood(
          order.flood,
          () => isOver,
          () => report('begun'),
        ),
      );
    }
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) obey();
