/**
 * An S3 of one bucket in memory, over real sockets: keeps every promise, or breaks one of them.
 * Signatures are not checked.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Promises that the stub can break. */
export type Fault =
  | 'ignores conditions'
  | 'checks conditions when an upload begins'
  | 'lists late'
  | 'remembers 404'
  | 'keeps half an upload'
  | 'orders by the clock of requests'
  | 'ignores ranges'
  | 'lists in the order of creation'
  | 'has a second winner'
  | 'returns other bytes';

interface Stored {
  readonly body: Buffer;
  readonly date: string;
  readonly createdMs: number;
}

const LATE_MS = 300;

export class S3Stub {
  readonly #server: Server;
  readonly #fault: Fault | null;
  readonly #missedMs = new Map<string, number>();
  readonly #raced = new Set<string>();
  readonly objects = new Map<string, Stored>();
  /** Headers of every request, in order. */
  readonly requests: { readonly line: string; readonly headers: IncomingMessage['headers'] }[] = [];
  /** Called before an answer; the returned status replaces it, `lost` closes the connection. */
  onAnswer: (line: string) => number | 'lost' | null = () => null;

  private constructor(fault: Fault | null) {
    this.#fault = fault;
    this.#server = createServer((request, response) => this.#serve(request, response));
  }

  static async start(fault: Fault | null = null): Promise<S3Stub> {
    const stub = new S3Stub(fault);
    await new Promise<void>((done) => stub.#server.listen(0, '127.0.0.1', done));
    return stub;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** URL of a store on the stub, and the variables that it needs. */
  get store(): { readonly url: string; readonly env: Record<string, string> } {
    const env = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
    return { url: `s3://bucket/some/prefix?endpoint=${this.endpoint}`, env };
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url: target = '', headers } = request;
    const line = `${method} ${target}`;
    this.requests.push({ line, headers });
    const url = new URL(target, 'http://stub');
    const key = url.pathname.split('/').slice(2).join('/');
    const wasFree = !this.objects.has(key);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {
      if (this.#fault === 'keeps half an upload') this.#store(key, Buffer.concat(chunks), request);
    });
    request.on('end', () => {
      const [status, body, more] = this.#answer(request, url, key, Buffer.concat(chunks), wasFree);
      const change = this.onAnswer(line);
      if (change === 'lost') response.destroy();
      else response.writeHead(change ?? status, more).end(change === null ? body : '');
    });
  }

  #answer(
    request: IncomingMessage,
    url: URL,
    key: string,
    body: Buffer,
    wasFree: boolean,
  ): [status: number, body: string | Buffer, headers?: Record<string, string>] {
    if (request.method === 'PUT') return this.#put(request, key, body, wasFree);
    if (request.method === 'DELETE') return [this.objects.delete(key) ? 204 : 404, ''];
    return key === '' ? [200, this.#list(url.searchParams)] : this.#get(request, key);
  }

  #put(request: IncomingMessage, key: string, body: Buffer, wasFree: boolean): [number, string] {
    const { 'if-none-match': condition, 'x-amz-content-sha256': hash } = request.headers;
    const isSent = hash === 'UNSIGNED-PAYLOAD' || hash === sha256(body);
    if (!isSent) return [400, error('XAmzContentSHA256Mismatch')];
    if (condition === '*' && !this.#isFree(key, wasFree)) return [412, error('PreconditionFailed')];
    const source = request.headers['x-amz-copy-source'];
    if (source === undefined) {
      this.#store(key, body, request);
      return [200, ''];
    }
    const found = this.objects.get(String(source).split('/').slice(2).join('/'));
    if (found === undefined) return [200, error('NoSuchKey')];
    this.#store(key, found.body, request);
    return [200, '<CopyObjectResult></CopyObjectResult>'];
  }

  #isFree(key: string, wasFree: boolean): boolean {
    if (this.#fault === 'ignores conditions') return true;
    if (this.#fault === 'checks conditions when an upload begins') return wasFree;
    const isFree = !this.objects.has(key);
    if (this.#fault !== 'has a second winner' || isFree || this.#raced.has(key)) return isFree;
    this.#raced.add(key);
    return this.#raced.size % 2 === 1;
  }

  #store(key: string, body: Buffer, { headers }: IncomingMessage): void {
    const date = String(headers['x-amz-date']);
    const old = this.objects.get(key);
    if (this.#fault === 'orders by the clock of requests' && old && date < old.date) return;
    this.objects.set(key, { body, date, createdMs: Date.now() });
  }

  #get({ headers }: IncomingMessage, key: string): [number, string | Buffer] {
    const found = this.objects.get(key);
    const missedMs = this.#missedMs.get(key) ?? 0;
    const isHidden = this.#fault === 'remembers 404' && Date.now() - missedMs < LATE_MS;
    if (found === undefined) this.#missedMs.set(key, Date.now());
    if (found === undefined || isHidden) return [404, error('NoSuchKey')];
    const body = Buffer.from(found.body);
    if (this.#fault === 'returns other bytes' && body.length > 1) body[1] = ~(body[1] as number);
    const range = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '');
    if (range === null || this.#fault === 'ignores ranges') return [200, body];
    const [start, last] = [Number(range[1]), Number(range[2])];
    return start >= body.length
      ? [416, error('InvalidRange')]
      : [206, body.subarray(start, last + 1)];
  }

  #list(query: URLSearchParams): string {
    const prefix = query.get('prefix') ?? '';
    const max = Number(query.get('max-keys'));
    const token = query.get('continuation-token');
    const after = token === null ? (query.get('start-after') ?? '') : atob(token);
    const isListed = (key: string, { createdMs }: Stored) =>
      key.startsWith(prefix) && (this.#fault !== 'lists late' || Date.now() - createdMs > LATE_MS);
    let keys = [...this.objects].filter((entry) => isListed(...entry)).map(([key]) => key);
    if (this.#fault === 'lists in the order of creation') {
      keys = keys.slice(keys.indexOf(after) + 1);
    } else {
      keys = keys.filter((key) => key > after).sort();
    }
    const page = keys.slice(0, max);
    const isCut = keys.length > max;
    const entries = page.map(
      (key) =>
        `<Contents><Key>${key}</Key><Size>${this.objects.get(key)?.body.length}</Size></Contents>`,
    );
    const next = isCut
      ? `<NextContinuationToken>${btoa(page.at(-1) ?? '')}</NextContinuationToken>`
      : '';
    const content = `<IsTruncated>${isCut}</IsTruncated>${entries.join('')}${next}`;
    return `<ListBucketResult>${content}</ListBucketResult>`;
  }
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const error = (code: string): string => `<Error><Code>${code}</Code></Error>`;
