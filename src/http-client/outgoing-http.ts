/**
 * Start here: the one HTTP client for requests to other servers. Every connection goes to an
 * address that the policy allows: a name is looked up once, and the checked addresses are the ones
 * connected to. Proxies of the environment are not used.
 */
import { type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import type { Agent, Dispatcher, request as sendRequest } from 'undici';
import type { AddressPolicy } from './address-policy.ts';
import { OutgoingError } from './outgoing-error.ts';
import { type Hop, redirectOf } from './redirect.ts';

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `http:` or `https:`; a user and password in it become basic authentication. */
  readonly url: string;
  /** Names in any case; of names that differ only in case the last one is sent. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /**
   * Instead of `body`: begins to read a body that is not in memory, once for each request of a
   * redirect. `headers` must have its `content-length`.
   */
  readonly stream?: () => AsyncIterable<Uint8Array>;
  /** From the call to the last byte of the answer, redirects included. */
  readonly timeoutMs: number;
  /** Longest wait for the next byte of the answer; absent = unlimited. */
  readonly stallMs?: number;
  readonly answerBytesMax: number;
  /** `send` returns an empty body, also if the answer breaks off after its head. */
  readonly statusOnly?: true;
  readonly signal?: AbortSignal;
}

interface AnswerHead {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Dispatcher.ResponseData['headers'];
}

/** An answer of any status is a success here. */
export interface OutgoingAnswer extends AnswerHead {
  readonly body: Buffer;
}

export interface OpenAnswer extends AnswerHead {
  /** Must be iterated. Leaving the loop ends the request. Throws `OutgoingError`. */
  readonly body: AsyncGenerator<Buffer>;
}

/** Sends one request and reads the answer. Rejects with `OutgoingError`. */
export type SendRequest = (request: OutgoingRequest) => Promise<OutgoingAnswer>;

/** Sends one request, and resolves when the head of the answer is there. Rejects with `OutgoingError`. */
export type OpenRequest = (request: OutgoingRequest) => Promise<OpenAnswer>;

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

interface HttpOptions {
  /** Default: the resolver of the system. */
  readonly lookup?: LookupAll;
  readonly connectionsPerHostMax?: number;
}

export class OutgoingHttp {
  readonly #policy: AddressPolicy;
  readonly #options: Agent.Options;
  /** Loaded with the first request: the library takes 15 MiB and 70 ms. */
  #client: Promise<{ readonly request: typeof sendRequest; readonly agent: Agent }> | null = null;

  constructor(
    policy: AddressPolicy,
    { lookup = systemLookup, connectionsPerHostMax = CONNECTIONS_PER_HOST_MAX }: HttpOptions = {},
  ) {
    this.#policy = policy;
    this.#options = {
      connections: connectionsPerHostMax,
      connect: { lookup: checkedLookup(policy, lookup) },
      keepAliveTimeout: IDLE_CONNECTION_MS,
    };
  }

  /** Needs no `this`. */
  readonly send: SendRequest = async (request) => {
    const { body, ...head } = await this.open(request);
    try {
      return { ...head, body: await wholeBody(body) };
    } catch (error) {
      if (request.statusOnly !== true) throw error;
      return { ...head, body: Buffer.alloc(0) };
    }
  };

  /** Needs no `this`. */
  readonly open: OpenRequest = async (request) => {
    const { method, headers, body, stream, signal } = request;
    const content = { ...(body && { body }), ...(stream && { stream }) };
    let hop: Hop = { method, url: toUrl(request.url), headers, ...content };
    const stop = new AbortController();
    const timer = setTimeout(
      () => stop.abort(new OutgoingError('timeout', `${hop.url.origin} did not answer in time.`)),
      Math.max(0, request.timeoutMs),
    );
    const onAbort = () => stop.abort(new OutgoingError('aborted', 'The request was aborted.'));
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    const release = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    try {
      for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
        const answer = await this.#exchange(hop, stop.signal, request.stallMs);
        const next = redirectOf(hop, answer.statusCode, answer.headers['location']);
        if (next === null) {
          const chunks = chunksOf(answer.body, request, hop.url, release);
          return { status: answer.statusCode, headers: answer.headers, body: chunks };
        }
        await answer.body.dump();
        hop = next;
      }
      const { origin } = toUrl(request.url);
      throw new OutgoingError('refused', `${origin} redirects more than ${REDIRECTS_MAX} times.`);
    } catch (error) {
      release();
      stop.abort();
      throw toOutgoingError(error, hop.url);
    }
  };

  /** Closes idle connections; requests under way fail. */
  close(): void {
    void this.#client?.then(({ agent }) => agent.destroy());
  }

  /** Throws before anything is sent if scheme, address or a header is invalid. */
  async #exchange(
    { method, url, headers, body, stream }: Hop,
    signal: AbortSignal,
    stallMs = 0,
  ): Promise<Dispatcher.ResponseData> {
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw new OutgoingError(
        'refused',
        `\`${url.protocol}\` is neither \`http:\` nor \`https:\`.`,
      );
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !this.#policy.allows(host)) throw refusedAddress(host);
    this.#client ??= import('undici').then(({ Agent, request }) => {
      return { request, agent: new Agent(this.#options) };
    });
    const { request, agent } = await this.#client;
    return request(url, {
      dispatcher: agent,
      method: method as Dispatcher.HttpMethod,
      headers: headersOf(url, headers),
      ...(body && { body }),
      ...(stream && { body: Readable.from(stream()) }),
      headersTimeout: stallMs,
      bodyTimeout: stallMs,
      signal,
    });
  }
}

export async function wholeBody(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Addresses of the name that the policy allows; fails if there is none. */
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

/** Names in lower case, with the credentials in the URL. */
function headersOf(url: URL, given: Hop['headers']): Record<string, string> {
  const headers = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]);
  const [user, password] = [url.username, url.password].map(decodeURIComponent);
  const basic = Buffer.from(`${user}:${password}`).toString('base64');
  return {
    'accept-encoding': 'identity',
    ...((user || password) && { authorization: `Basic ${basic}` }),
    ...Object.fromEntries(headers),
  };
}

async function* chunksOf(
  body: AsyncIterable<Buffer>,
  { answerBytesMax }: OutgoingRequest,
  url: URL,
  release: () => void,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > answerBytesMax)
        throw new OutgoingError(
          'tooLarge',
          `${url.origin} answers more than ${answerBytesMax} bytes.`,
        );
      yield chunk;
    }
  } catch (error) {
    throw toOutgoingError(error, url);
  } finally {
    release();
  }
}

function toUrl(text: string): URL {
  if (URL.canParse(text)) return new URL(text);
  throw new OutgoingError('refused', 'The target is no URL.');
}

/** Does not name the address: the name may belong to the operator's private network. */
const refusedAddress = (host: string): OutgoingError =>
  new OutgoingError(
    'refused',
    `\`${host}\` has no public address; \`--experimental-allowed-ip-networks\` allows further networks.`,
  );

/**
 * Shows the code of an error of the system, not its message: messages of the system name addresses,
 * those of TLS the names in certificates.
 */
function toOutgoingError(cause: unknown, url: URL): OutgoingError {
  if (cause instanceof OutgoingError) return cause;
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED')
    return new OutgoingError('refused', `The request is malformed: ${message}.`, { cause });
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT')
    return new OutgoingError('timeout', `${url.origin} has stopped answering.`, { cause });
  const reason = typeof code === 'string' ? ` (${code})` : '';
  return new OutgoingError('unreachable', `${url.origin} cannot be reached${reason}.`, { cause });
}
