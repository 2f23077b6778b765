/**
 * Sends requests that write to the node that writes. A request is sent again only if no node can
 * have accepted it: the connection was refused, or the node answers that it does not write.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../api/contract/answer.ts';
import type { ForwardedContent, ForwardedRequest, Forwarding } from '../api/contract/context.ts';
import { NODE_HEADERS } from '../api/contract/route.ts';
import { ApiError } from '../core/errors.ts';
import { OutgoingError } from '../http-client/outgoing-error.ts';
import type { OutgoingAnswer, OutgoingRequest, SendRequest } from '../http-client/outgoing-http.ts';
import type { FrontState } from '../ipc/connection/indexer-protocol.ts';

export interface WriterForwardingOptions {
  readonly writer: () => FrontState['writer'];
  readonly send: SendRequest;
  /** From the request to its failure; longer than a takeover. */
  readonly timeoutMs: number;
  readonly retryMs: number;
  /** Time from the replacement of the node that has the request to the end of waiting for its answer. */
  readonly replacedMs: number;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
}

/** Failures before anything was sent. */
const UNSENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const UNAVAILABLE = 503;
const ANSWER_BYTES_MAX = 64 << 20;
/** Headers of the answer that a client needs. */
const PASSED = ['retry-after', 'etag', 'location'];

export class WriterForwarding implements Forwarding {
  readonly #options: WriterForwardingOptions;

  constructor(options: WriterForwardingOptions) {
    this.#options = options;
  }

  get isNeeded(): boolean {
    return !this.#options.writer().isHere;
  }

  async send(request: ForwardedRequest): Promise<Answer> {
    const { monotonic, timeoutMs, retryMs } = this.#options;
    const endMs = monotonic() + timeoutMs;
    for (;;) {
      const answer = await this.#attempt(request, endMs - monotonic());
      if (answer !== null) return toAnswer(answer);
      if (monotonic() + retryMs >= endMs) throw noWriter();
      await sleep(retryMs, undefined, { signal: request.signal });
    }
  }

  /** null if no node can have accepted the request. */
  async #attempt(
    { method, target, headers, body, signal }: ForwardedRequest,
    leftMs: number,
  ): Promise<OutgoingAnswer | null> {
    const { url } = this.#options.writer();
    if (url === null) return null;
    const replaced = new AbortController();
    const watch = this.#abortWhenReplaced(url, replaced);
    try {
      const answer = await this.#options.send({
        method,
        url: url + target,
        ...contentOf({ ...headers, [NODE_HEADERS.forwarded]: '1' }, body),
        timeoutMs: leftMs,
        answerBytesMax: ANSWER_BYTES_MAX,
        signal: AbortSignal.any([signal, replaced.signal]),
      });
      return mayRepeat(answer) ? null : answer;
    } catch (error) {
      if (replaced.signal.aborted) throw unanswered('was replaced before its answer came', error);
      if (!(error instanceof OutgoingError)) throw error;
      const { code = '' } = (error.cause ?? {}) as NodeJS.ErrnoException;
      if (mayRepeat({ code })) return null;
      const isLate = error.failure === 'timeout' || error.failure === 'aborted';
      const broke = 'broke the connection before its answer came';
      throw unanswered(isLate ? 'did not answer in time' : broke, error);
    } finally {
      clearInterval(watch);
    }
  }

  /** A node that is paused keeps its connections open, and answers when it goes on. */
  #abortWhenReplaced(url: string, replaced: AbortController): NodeJS.Timeout {
    const { writer, monotonic, retryMs, replacedMs } = this.#options;
    let sinceMs: number | null = null;
    return setInterval(() => {
      const { url: now } = writer();
      if (now === null || now === url) sinceMs = null;
      else sinceMs ??= monotonic();
      if (sinceMs !== null && monotonic() - sinceMs >= replacedMs) replaced.abort();
    }, retryMs);
  }
}

const unanswered = (what: string, cause: unknown): ApiError =>
  new ApiError(
    'writer_unavailable',
    `The node that writes ${what}: it may have accepted the request.`,
    { cause },
  );

function contentOf(
  headers: Readonly<Record<string, string>>,
  body: ForwardedContent | null,
): Pick<OutgoingRequest, 'headers' | 'body' | 'stream'> {
  if (body === null) return { headers };
  if (body instanceof Uint8Array) return { headers, body };
  const length = { 'content-length': String(body.bytes) };
  return { headers: { ...headers, ...length }, stream: body.chunks };
}

const noWriter = (): ApiError =>
  new ApiError(
    'writer_unavailable',
    'No node of this object store writes at the moment, and nothing was changed. Please retry later.',
  );

/** Pure: true if no node can have accepted the request. @param code of a failure of the connection */
export function mayRepeat(
  attempt:
    | { readonly code: string }
    | { readonly status: number; readonly body: { includes(text: string): boolean } },
): boolean {
  if ('code' in attempt) return UNSENT.has(attempt.code);
  return attempt.status === UNAVAILABLE && attempt.body.includes('"code":"writer_unavailable"');
}

function toAnswer({ status, headers, body }: OutgoingAnswer): Answer {
  const passed = PASSED.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [name, value] : [];
  });
  if (body.length === 0) return { status, headers: passed };
  const contentType = headers['content-type'];
  return {
    status,
    bytes: body,
    headers: passed,
    ...(typeof contentType === 'string' && { contentType }),
  };
}
