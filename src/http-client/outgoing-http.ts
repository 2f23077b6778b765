/**
 * Start here: the one way in which this server sends HTTP requests to others. Every connection goes
 * to an address that the policy allows: names are looked up once, and what was checked is what is
 * connected to. Proxies of the environment are not used.
 */
import { type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressPolicy } from './address-policy.ts';
import { OutgoingError } from './outgoing-error.ts';
import { type Hop, redirectOf } from './redirect.ts';

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `http:` or `https:`; a user and password in it become basic authentication. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** From the call to the last byte of the answer, redirects included. */
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
  /** The body of the answer is empty then, and whether it came whole does not matter. */
  readonly statusOnly?: true;
  /** Takes the body of an answer with status 200 piece by piece, which is empty then. */
  readonly onChunk?: (chunk: Buffer) => Promise<void>;
  readonly signal?: AbortSignal;
}

/** Whatever its status, an answer is no error here. */
export interface OutgoingAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends one request. Rejects with `OutgoingError`. */
export type SendRequest = (request: OutgoingRequest) => Promise<OutgoingAnswer>;

type LookupAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (
    error: NodeJS.ErrnoException | null,
    addresses: readonly { readonly address: string; readonly family: number }[],
  ) => void,
) => void;

const REDIRECTS_MAX = 5;
const CONNECTIONS_PER_HOST_MAX = 32;
const IDLE_CONNECTION_MS = 30_000;
const NO_BODY = Buffer.alloc(0);

interface HttpOptions {
  /** Of names; that of the system by default. */
  readonly lookup?: LookupAll;
  readonly connectionsPerHostMax?: number;
}

export class OutgoingHttp {
  readonly #policy: AddressPolicy;
  readonly #lookup: LookupFunction;
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;

  constructor(
    policy: AddressPolicy,
    { lookup = systemLookup, connectionsPerHostMax = CONNECTIONS_PER_HOST_MAX }: HttpOptions = {},
  ) {
    this.#policy = policy;
    this.#lookup = checkedLookup(policy, lookup);
    const pooling = {
      keepAlive: true,
      maxSockets: connectionsPerHostMax,
      timeout: IDLE_CONNECTION_MS,
    };
    this.#http = new HttpAgent(pooling);
    this.#https = new HttpsAgent(pooling);
  }

  /** A function, so that it can be handed on alone. */
  readonly send: SendRequest = async (request) => {
    const endMs = performance.now() + request.timeoutMs;
    const { method, headers, body } = request;
    let hop: Hop = { method, url: toUrl(request.url), headers, ...(body && { body }) };
    for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
      const answer = await this.#exchange(hop, request, endMs - performance.now());
      const next = redirectOf(hop, answer.status, answer.headers.location);
      if (next === null) return answer;
      hop = next;
    }
    throw new OutgoingError(
      'refused',
      `${toUrl(request.url).origin} redirects more than ${REDIRECTS_MAX} times.`,
    );
  };

  /** Ends idle connections; requests under way fail. */
  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  #exchange(hop: Hop, limits: OutgoingRequest, timeoutMs: number): Promise<OutgoingAnswer> {
    return new Promise((resolve, reject) => {
      const request = this.#open(hop);
      const settle = (): void => {
        clearTimeout(timer);
        limits.signal?.removeEventListener('abort', onAbort);
      };
      const fail = (error: unknown): void => {
        settle();
        reject(toOutgoingError(error, hop.url));
      };
      let hasAnswered = false;
      /** The connection is not told why: one that is idle again has nobody who listens to errors. */
      const stop = (error: OutgoingError): void => {
        if (!hasAnswered) fail(error);
        request.destroy();
      };
      const timer = setTimeout(
        () => stop(new OutgoingError('timeout', `${hop.url.origin} did not answer in time.`)),
        Math.max(0, timeoutMs),
      );
      const onAbort = () => stop(new OutgoingError('aborted', 'The request was given up.'));
      request.on('error', (error) => {
        if (!hasAnswered) fail(error);
      });
      request.once('response', (response) => {
        hasAnswered = limits.statusOnly === true;
        const succeed = (body: Buffer): void => {
          settle();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
        };
        const { onChunk, answerBytesMax } = limits;
        const read =
          onChunk !== undefined && response.statusCode === 200
            ? passBody(response, answerBytesMax, hop.url, onChunk)
            : readBody(response, answerBytesMax, hop.url);
        if (limits.statusOnly === true)
          read.then(
            () => succeed(NO_BODY),
            () => succeed(NO_BODY),
          );
        else read.then(succeed, fail);
      });
      limits.signal?.addEventListener('abort', onAbort, { once: true });
      if (limits.signal?.aborted) onAbort();
      request.end(hop.body);
    });
  }

  /** Throws `OutgoingError` before anything is sent where scheme, address or a header is bad. */
  #open({ method, url, headers, body }: Hop): ClientRequest {
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw new OutgoingError(
        'refused',
        `\`${url.protocol}\` is neither \`http:\` nor \`https:\`.`,
      );
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !this.#policy.allows(host)) throw refusedAddress(host);
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    const isTls = url.protocol === 'https:';
    const options = {
      method,
      headers: { 'accept-encoding': 'identity', ...headers, ...length },
      lookup: this.#lookup,
      agent: isTls ? this.#https : this.#http,
    };
    try {
      return isTls ? httpsRequest(url, options) : httpRequest(url, options);
    } catch (cause) {
      throw new OutgoingError('refused', `The request is malformed: ${messageOf(cause)}.`, {
        cause,
      });
    }
  }
}

/** Addresses of the name that the policy allows; fails when there is none. */
function checkedLookup(policy: AddressPolicy, lookup: LookupAll): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const allowed = addresses.filter(({ address }) => policy.allows(address));
      const [first] = allowed;
      if (first === undefined) return callback(refusedAddress(hostname), []);
      if (options.all) return callback(null, [...allowed]);
      callback(null, first.address, first.family);
    });
  };
}

function readBody(response: IncomingMessage, bytesMax: number, url: URL): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) return void chunks.push(chunk);
      response.destroy();
      reject(new OutgoingError('tooLarge', `${url.origin} answers more than ${bytesMax} bytes.`));
    });
    response.once('end', () => resolve(Buffer.concat(chunks)));
    response.on('error', reject);
    response.once('close', () => reject(new Error('the connection broke within the answer')));
  });
}

async function passBody(
  response: IncomingMessage,
  bytesMax: number,
  url: URL,
  onChunk: (chunk: Buffer) => Promise<void>,
): Promise<Buffer> {
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax)
      throw new OutgoingError('tooLarge', `${url.origin} answers more than ${bytesMax} bytes.`);
    await onChunk(chunk);
  }
  return NO_BODY;
}

function toUrl(text: string): URL {
  if (URL.canParse(text)) return new URL(text);
  throw new OutgoingError('refused', 'The target is no URL.');
}

/** Who may name a host need not know which address it has: it may be one of the operator's network. */
const refusedAddress = (host: string): OutgoingError =>
  new OutgoingError(
    'refused',
    `\`${host}\` has no public address; \`--experimental-allowed-ip-networks\` allows networks beside them.`,
  );

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** The code alone: messages of the system name addresses, those of TLS the names in certificates. */
const reasonOf = (error: unknown): string => {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? ` (${code})` : '';
};

function toOutgoingError(cause: unknown, url: URL): OutgoingError {
  if (cause instanceof OutgoingError) return cause;
  return new OutgoingError('unreachable', `${url.origin} cannot be reached${reasonOf(cause)}.`, {
    cause,
  });
}
