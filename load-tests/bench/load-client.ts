/**
 * Sends prepared requests over raw sockets from a process of its own, one at a time on each
 * connection, and reads of an answer what tells its end: a client that parses answers would take the
 * processor time that is to be measured. Run as a process it does what it is told; imported it
 * starts one.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

export interface Load {
  readonly port: number;
  readonly requests: readonly { readonly path: string; readonly body: string }[];
  readonly connections: number;
  /** Of the API; absent = none. */
  readonly key?: string;
}

/** One pass over all requests. */
export interface Pass {
  /** Of each request, in order. */
  readonly times: readonly number[];
  readonly seconds: number;
}

const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: *(\d+)/i;

/** One connection: hands on how long the answer to each request took. */
class Connection {
  readonly #socket: Socket;
  #left = 0;
  #head = '';
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

  async time(request: Buffer): Promise<number> {
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
    if (!head.startsWith('HTTP/1.1 200') || length === undefined) {
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

async function pass({ port, requests, connections, key }: Load): Promise<Pass> {
  const encoded = requests.map((request) => encode(request, key));
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)));
  const times = new Array<number>(requests.length).fill(0);
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

export class LoadClient {
  readonly #process: ChildProcess;

  constructor() {
    this.#process = fork(fileURLToPath(import.meta.url), { serialization: 'advanced' });
  }

  async pass(load: Load): Promise<Pass> {
    const answered = Promise.race([
      once(this.#process, 'message') as Promise<[Pass | { error: string }]>,
      once(this.#process, 'exit').then((): [{ error: string }] => [{ error: 'stopped' }]),
    ]);
    this.#process.send(load);
    const [answer] = await answered;
    if ('error' in answer) throw new Error(answer.error);
    return answer;
  }

  /** A pass under way is given up: it rejects. */
  stop(): void {
    this.#process.kill();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.on('message', (load: Load) => {
    pass(load).then(
      (done) => process.send?.(done),
      (error: unknown) => process.send?.({ error: String(error) }),
    );
  });
}
