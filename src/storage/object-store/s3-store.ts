/**
 * Objects of an S3-compatible store. Requests are signed by `aws4fetch` and sent with a deadline;
 * lost and failed answers are retried. The signature covers the SHA-256 of a body that is in memory;
 * a stream is sent unsigned, because stores differ in which signed streams they accept.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import type {
  OutgoingAnswer,
  OutgoingHttp,
  OutgoingRequest,
} from '../../http-client/outgoing-http.ts';
import type { CredentialSource } from './credentials.ts';
import {
  type ByteRange,
  bodyBytes,
  bodyChunks,
  checkKey,
  type ListedObject,
  type ListOptions,
  type ObjectBody,
  type ObjectStore,
  ObjectStoreAway,
  ObjectStoreError,
} from './object-store.ts';
import { element, encodedQuery, listPage, storeError } from './s3-protocol.ts';
import type { S3Place } from './store-url.ts';

export interface S3Options {
  readonly http: Pick<OutgoingHttp, 'send' | 'close'>;
  readonly credentials: CredentialSource;
  readonly nowMs: () => number;
  /** 0 to 1, for the spread of retries. */
  readonly random: () => number;
  /** Time from a call to its failure, retries included; the transfer of its bytes comes on top. */
  readonly callMs?: number;
}

const CALL_MS = 60_000;
/** Time of one request without its bytes. */
const REQUEST_MS = 15_000;
const BYTES_PER_MS_MIN = 1000;
const RETRY_FIRST_MS = 20;
const RETRY_MAX_MS = 1000;
const ANSWER_BYTES_MAX = 1 << 30;
const LIST_KEYS = 1000;
const OK = 200;
const PARTIAL = 206;
const NOT_FOUND = 404;
const NO_BUCKET = 'NoSuchBucket';
const CONFLICT = 409;
const PRECONDITION_FAILED = 412;
const RANGE_NOT_SATISFIABLE = 416;
const TOO_MANY = 429;
const SERVER_ERROR = 500;

interface Call {
  readonly method: OutgoingRequest['method'];
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: ObjectBody;
  /** Bytes of the answer, if known; they extend the time of a request. */
  readonly answerBytes?: number;
}

/** What one request ended with; `error` without a status if there was no answer. */
interface Attempt {
  readonly status: number;
  readonly answer: OutgoingAnswer | null;
  readonly error: string;
}

export class S3Store implements ObjectStore {
  readonly #place: S3Place;
  readonly #options: S3Options;
  /** Signing keys by date, region and secret. */
  readonly #signingKeys = new Map<string, ArrayBuffer>();

  constructor(place: S3Place, options: S3Options) {
    this.#place = place;
    this.#options = options;
  }

  async get(key: string, range?: ByteRange): Promise<Uint8Array | null> {
    if (range !== undefined && range.end <= range.start) return new Uint8Array(0);
    const headers = range && { range: `bytes=${range.start}-${range.end - 1}` };
    const call: Call = {
      method: 'GET',
      key: checkKey(key),
      ...(headers && { headers }),
      ...(range && { answerBytes: range.end - range.start }),
    };
    const { status, answer, error } = await this.#repeated(call);
    if (status === NOT_FOUND && !error.includes(NO_BUCKET)) return null;
    if (range !== undefined && status === RANGE_NOT_SATISFIABLE) return new Uint8Array(0);
    if (answer === null || status !== (range === undefined ? OK : PARTIAL))
      throw this.#failed(call, status, `${error}, not ${range === undefined ? OK : PARTIAL}`);
    return answer.body;
  }

  async put(key: string, body: ObjectBody): Promise<void> {
    const call: Call = { method: 'PUT', key: checkKey(key), body };
    const { status, error } = await this.#repeated(call);
    if (!isSuccess(status)) throw this.#failed(call, status, error);
  }

  async create(key: string, body: ObjectBody): Promise<boolean> {
    const headers = { 'if-none-match': '*' };
    const call: Call = { method: 'PUT', key: checkKey(key), body, headers };
    let isUnsure = false;
    const { status, error } = await this.#repeated(call, (failed) => {
      // After a conflict the object was not written; after a lost answer it may have been.
      if (failed.status !== CONFLICT) isUnsure = true;
    });
    if (isSuccess(status)) return true;
    if (status !== PRECONDITION_FAILED) throw this.#failed(call, status, error);
    return isUnsure && (await this.#holds(key, body));
  }

  async copyFrom(source: ObjectStore, key: string, bytes: number): Promise<boolean> {
    if (!(source instanceof S3Store)) return false;
    const { endpoint, bucket, prefix } = source.#place;
    if (endpoint.origin !== this.#place.endpoint.origin) return false;
    const { status, answer } = await this.#repeated({
      method: 'PUT',
      key: checkKey(key),
      headers: { 'x-amz-copy-source': `/${bucket}/${prefix}${key}` },
      body: new Uint8Array(0),
      answerBytes: bytes,
    });
    // An error can follow the status 200.
    return isSuccess(status) && element(answer?.body.toString() ?? '', 'Code') === null;
  }

  async *list(
    prefix: string,
    { after = '', pageKeys = LIST_KEYS }: ListOptions = {},
  ): AsyncGenerator<ListedObject> {
    const root = this.#place.prefix;
    let continuation = '';
    do {
      const call: Call = {
        method: 'GET',
        key: '',
        query: {
          'list-type': '2',
          'max-keys': String(pageKeys),
          prefix: root + prefix,
          ...(continuation !== '' && { 'continuation-token': continuation }),
          ...(continuation === '' && after !== '' && { 'start-after': root + after }),
        },
      };
      const { status, answer, error } = await this.#repeated(call);
      if (answer === null || status !== OK) throw this.#failed(call, status, error);
      const page = listPage(answer.body.toString());
      // Objects that look missing may be deleted or written again.
      if (page === null) throw this.#failed(call, status, 'answered without a list of objects');
      for (const { key, bytes } of page.objects) yield { key: key.slice(root.length), bytes };
      continuation = page.continuation;
    } while (continuation !== '');
  }

  async delete(key: string): Promise<void> {
    const call: Call = { method: 'DELETE', key: checkKey(key) };
    const { status, error } = await this.#repeated(call);
    if (!isSuccess(status) && status !== NOT_FOUND) throw this.#failed(call, status, error);
  }

  close(): void {
    this.#options.http.close();
  }

  /** Whether the object has these bytes. */
  async #holds(key: string, body: ObjectBody): Promise<boolean> {
    const found = await this.get(key);
    if (found === null || found.length !== bodyBytes(body)) return false;
    return sha256(found) === (await bodySha256(body));
  }

  /** Repeats the request until it has a final answer or the time of the call is over. */
  async #repeated(call: Call, onFailure?: (failed: Attempt) => void): Promise<Attempt> {
    const { callMs = CALL_MS, random } = this.#options;
    const transferMs = transferTime(call);
    const endMs = performance.now() + callMs + transferMs;
    for (let count = 0; ; count++) {
      const attempt = await this.#attempt(call, REQUEST_MS + transferMs);
      const waitMs = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** count) * (1 / 2 + random());
      if (!isRetried(attempt, call) || performance.now() + waitMs > endMs) return attempt;
      onFailure?.(attempt);
      await sleep(waitMs);
    }
  }

  async #attempt(call: Call, timeoutMs: number): Promise<Attempt> {
    const { body } = call;
    let failure: unknown = null;
    const stream = async function* (): AsyncGenerator<Uint8Array> {
      try {
        if (body !== undefined) yield* bodyChunks(body);
      } catch (error) {
        failure = error;
        throw error;
      }
    };
    try {
      const answer = await this.#options.http.send({
        ...(await this.#signed(call)),
        timeoutMs,
        answerBytesMax: ANSWER_BYTES_MAX,
        ...(body instanceof Uint8Array ? { body } : body && { stream }),
      });
      return { status: answer.status, answer, error: storeError(answer.status, answer.body) };
    } catch (error) {
      // A retry does not mend a source that cannot be read, or credentials that are not there.
      if (failure !== null) throw failure;
      if (error instanceof ObjectStoreError && !(error instanceof ObjectStoreAway)) throw error;
      return { status: 0, answer: null, error: (error as Error).message };
    }
  }

  async #signed({
    method,
    key,
    query = {},
    headers = {},
    body,
  }: Call): Promise<Pick<OutgoingRequest, 'method' | 'url' | 'headers'>> {
    const { credentials, nowMs } = this.#options;
    const { region } = this.#place;
    const isStream = body !== undefined && !(body instanceof Uint8Array);
    const signer = new AwsV4Signer({
      ...(await credentials()),
      method,
      url: `${this.#urlOf(key)}${encodedQuery(query)}`,
      headers: {
        ...headers,
        'x-amz-content-sha256': isStream ? 'UNSIGNED-PAYLOAD' : sha256(body ?? new Uint8Array(0)),
      },
      service: 's3',
      region,
      datetime: new Date(nowMs()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
      cache: this.#signingKeys,
    });
    const signed = await signer.sign();
    return {
      method,
      url: signed.url.href,
      headers: {
        ...Object.fromEntries(signed.headers),
        ...(body && { 'content-length': String(bodyBytes(body)) }),
      },
    };
  }

  #urlOf(key: string): string {
    const { endpoint, bucket, prefix, pathStyle } = this.#place;
    const object = key === '' ? '' : `${prefix}${key}`;
    if (pathStyle) return `${endpoint.origin}/${bucket}${key === '' ? '' : '/'}${object}`;
    return `${endpoint.protocol}//${bucket}.${endpoint.host}/${object}`;
  }

  #failed({ method, key, headers, query }: Call, status: number, reason: string): ObjectStoreError {
    const { endpoint, bucket, prefix } = this.#place;
    const target = `${bucket}/${prefix}${key}`;
    const condition = headers?.['if-none-match'] ? ' with If-None-Match' : '';
    const range = headers?.['range'] ? ` with Range: ${headers['range']}` : '';
    const name = query === undefined ? `${method} ${target}` : `List of ${target}`;
    const message = `${name}${condition}${range} at ${endpoint.origin}: ${reason}`;
    return isAway(status) ? new ObjectStoreAway(message) : new ObjectStoreError(message);
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

const isAway = (status: number): boolean =>
  status === 0 || status >= SERVER_ERROR || status === TOO_MANY;

function isRetried({ status, error }: Attempt, { headers }: Call): boolean {
  if (isAway(status)) return true;
  if (error.includes('RequestTimeout')) return true;
  // Another conditional write of the key is under way.
  return status === CONFLICT && headers?.['if-none-match'] !== undefined;
}

const transferTime = ({ body, answerBytes = 0 }: Call): number =>
  ((body ? bodyBytes(body) : 0) + answerBytes) / BYTES_PER_MS_MIN;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function bodySha256(body: ObjectBody): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of bodyChunks(body)) hash.update(chunk);
  return hash.digest('hex');
}
