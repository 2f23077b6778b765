/**
 * Start here: searches and document reads on the remote instances of a network (api.md 9.6, 21). A
 * failure is an `ApiError` in the answer and has no other effect.
 */

import { LRUCache } from 'lru-cache';
import type { ErrorCode } from '../core/error-codes.ts';
import { ApiError } from '../core/errors.ts';
import { objectOf, parseJson } from '../core/json.ts';
import {
  OutgoingError,
  type OutgoingFailure,
  withoutHosts,
} from '../http-client/outgoing-error.ts';
import type { OutgoingAnswer, SendRequest } from '../http-client/outgoing-http.ts';
import type { Network, Remote } from '../model/network.ts';
import { type DocumentsPage, readDocumentsPage } from './documents-page.ts';
import { type RemoteAnswer, readRemoteAnswer } from './remote-answer.ts';

export interface RemoteFacetHits {
  readonly facetHits: readonly { readonly value: string; readonly count: number }[];
}

/** Announces that hits will be merged with those of other instances. */
const PEER_HEADER = { 'meili-proxy-search': 'true' };
const ANSWER_BYTES_MAX = 64 << 20;
/** Instances whose last result is remembered. */
const KNOWN_MAX = 1000;
const FIRST_ERROR = 400;
const FIRST_SERVER_ERROR = 500;

const CODES: Readonly<Record<OutgoingFailure, ErrorCode>> = {
  refused: 'remote_could_not_send_request',
  unreachable: 'remote_could_not_send_request',
  timeout: 'remote_timeout',
  tooLarge: 'remote_bad_response',
  aborted: 'remote_could_not_send_request',
};

export interface RemoteQuestion {
  readonly network: Network;
  /** Of the remote. */
  readonly name: string;
  readonly body: object;
  /** The request ends with the reason of the signal when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

export class RemoteSearches {
  readonly #send: SendRequest;
  readonly #timeoutMs: number;
  /** Name → true if its last request was answered. */
  readonly #answered = new LRUCache<string, boolean>({ max: KNOWN_MAX });

  constructor(send: SendRequest, timeoutMs: number) {
    this.#send = send;
    this.#timeoutMs = timeoutMs;
  }

  /** True if the last request to the instance was answered, or before the first one. */
  isAvailable(name: string): boolean {
    return this.#answered.get(name) ?? true;
  }

  /** @param precedingCount as for `readRemoteAnswer`. Rejects with `ApiError` */
  async federated(question: RemoteQuestion, precedingCount: number | null): Promise<RemoteAnswer> {
    return readRemoteAnswer(
      await this.#post('multi-search', question),
      question.name,
      precedingCount,
    );
  }

  /** Rejects with `ApiError`. */
  async facetSearch(indexUid: string, question: RemoteQuestion): Promise<RemoteFacetHits> {
    const path = `indexes/${encodeURIComponent(indexUid)}/facet-search`;
    return readFacetHits(await this.#post(path, question), question.name);
  }

  /** Rejects with `ApiError`. */
  async documents(indexUid: string, question: RemoteQuestion): Promise<DocumentsPage> {
    const path = `indexes/${encodeURIComponent(indexUid)}/documents/fetch`;
    return readDocumentsPage(await this.#post(path, question), question.name);
  }

  async #post(path: string, question: RemoteQuestion): Promise<Uint8Array> {
    const { network, name } = question;
    const remote = Object.hasOwn(network.remotes, name) ? network.remotes[name] : undefined;
    if (remote === undefined)
      throw new ApiError('unknown_remote', `The network has no remote \`${name}\`.`);
    const answer = await this.#ask(remote, path, question);
    if (answer.status < FIRST_ERROR) return answer.body;
    throw new ApiError(
      codeOf(answer.status),
      `\`${name}\` answered with status ${answer.status}${reasonOf(answer)}`,
    );
  }

  async #ask(
    { url, searchApiKey }: Remote,
    path: string,
    { name, body, signal }: RemoteQuestion,
  ): Promise<OutgoingAnswer> {
    try {
      const answer = await this.#send({
        method: 'POST',
        url: new URL(path, url.endsWith('/') ? url : `${url}/`).href,
        headers: {
          'content-type': 'application/json',
          ...PEER_HEADER,
          ...(searchApiKey !== null && { authorization: `Bearer ${searchApiKey}` }),
        },
        body: Buffer.from(JSON.stringify(body)),
        timeoutMs: this.#timeoutMs,
        answerBytesMax: ANSWER_BYTES_MAX,
        ...(signal && { signal }),
      });
      this.#answered.set(name, answer.status < FIRST_SERVER_ERROR);
      return answer;
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      if (!(error instanceof OutgoingError)) throw error;
      this.#answered.set(name, false);
      throw new ApiError(CODES[error.failure], `\`${name}\`: ${withoutHosts(error.message)}`, {
        cause: error,
      });
    }
  }
}

function codeOf(status: number): ErrorCode {
  if (status >= FIRST_SERVER_ERROR) return 'remote_remote_error';
  return status === 401 || status === 403 ? 'remote_invalid_api_key' : 'remote_bad_request';
}

function reasonOf({ body }: OutgoingAnswer): string {
  const { code, message } = objectOf(parseJson(body));
  return typeof message === 'string' ? `: ${message.slice(0, 500)} (${String(code)})` : '.';
}

function isFacetHit(hit: unknown): hit is RemoteFacetHits['facetHits'][number] {
  const { value, count } = objectOf(hit);
  return typeof value === 'string' && Number.isSafeInteger(count) && Number(count) >= 0;
}

function readFacetHits(body: Uint8Array, name: string): RemoteFacetHits {
  const { facetHits } = objectOf(parseJson(body));
  if (Array.isArray(facetHits) && facetHits.every(isFacetHit)) return { facetHits };
  throw new ApiError('remote_bad_response', `The answer of \`${name}\` is not a facet search.`);
}
