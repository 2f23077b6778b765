/** Client of a running server for commands: API requests, and polling of tasks. */

import { setTimeout as wait } from 'node:timers/promises';
import { isObject, objectOf, parseJson } from '../core/json.ts';
import { parseWithDigits } from '../core/long-integers.ts';
import { CommandFailure } from './command-failure.ts';
import { rawElements, rawMembers } from './documents/raw-members.ts';

export interface FollowedTask {
  readonly uid: number;
  readonly status: 'enqueued' | 'processing' | 'succeeded' | 'failed' | 'canceled';
  readonly batchUid: number | null;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

export interface InstanceRequest {
  readonly body?: unknown;
  readonly bytes?: Uint8Array;
  readonly contentType?: string;
  /** Absent = unlimited. */
  readonly answerBytesMax?: number;
}

/** The answer has more bytes than allowed; the rest was not read. */
export class AnswerTooLarge extends CommandFailure {
  readonly bytesMax: number;

  constructor(bytesMax: number) {
    super(`the server answered with more than ${bytesMax} bytes`);
    this.bytesMax = bytesMax;
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

interface ListAnswer<Item> {
  readonly results: readonly Item[];
  readonly total: number;
}

interface DocumentPage {
  /** Each as the server has sent it, on one line: numbers keep their digits. */
  readonly documents: readonly string[];
  /** Documents that match the request. */
  readonly total: number;
}

/** What is read of an index. */
interface DocumentReading {
  /** Members of the request, such as `filter` and `fields`. */
  readonly choice?: object;
  readonly offset?: number;
  /** About the size of a page. */
  readonly pageBytes?: number;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Path of an index in the API. */
export const indexPath = (uid: string): string => `/indexes/${encodeURIComponent(uid)}`;

/** Results of one request. */
const LIST_PAGE = 1000;
/** Documents of the first page, and maximum of a page. */
const PAGE_FIRST = 100;
const PAGE_MAX = 10_000;
const PAGE_BYTES = 8 * 1024 ** 2;
/** Maximum growth factor of the page size, because the next documents may be larger. */
const PAGE_GROWTH = 8;
/** An answer may exceed the page size by this factor before a smaller page is requested. */
const ANSWER_FACTOR = 4;
const POLL_MS = 200;
/**
 * Pauses in milliseconds before retries of requests with status 503, or without an answer of a server
 * that has answered before: one that never did is not there.
 */
const RETRY_MS: readonly number[] = [500, 1000, 2000, 4000, 8000];

const isOver = ({ status }: FollowedTask): boolean =>
  status !== 'enqueued' && status !== 'processing';

/** Why a task that has ended did not succeed. */
export const failureReason = ({ error }: Pick<FollowedTask, 'error'>): string =>
  error?.message ?? 'the task was canceled';

export class Instance {
  readonly url: string;
  readonly key: string | null;
  #hasAnswered = false;

  /** @param url with its scheme; a path in it is kept */
  constructor(url: string, key: string | null) {
    this.url = url.replace(/\/+$/, '');
    this.key = key;
  }

  /**
   * Returns the parsed answer. After a lost connection documents may be sent twice, which changes
   * nothing.
   * @throws CommandFailure
   */
  async request<Result>(
    method: Method,
    path: string,
    request: InstanceRequest = {},
  ): Promise<Result> {
    const text = await this.text(method, path, request);
    return (text === '' ? null : parsedAnswer(text)) as Result;
  }

  /** Returns the answer unparsed. @throws CommandFailure, AnswerTooLarge */
  async text(method: Method, path: string, request: InstanceRequest = {}): Promise<string> {
    const { status, text } = await this.#send(method, path, request);
    if (status < 200 || status > 299) throw refusal(status, text);
    return text;
  }

  /** All results of a list that is read in pages. @throws CommandFailure */
  async all<Item>(path: string): Promise<Item[]> {
    const all: Item[] = [];
    for (;;) {
      const page = `${path}?offset=${all.length}&limit=${LIST_PAGE}`;
      const { results, total } = await this.request<ListAnswer<Item>>('GET', page);
      all.push(...results);
      if (results.length === 0 || all.length >= total) return all;
    }
  }

  /** Documents of an index in pages of about the same size. */
  async *documents(
    indexUid: string,
    { choice, offset = 0, pageBytes = PAGE_BYTES }: DocumentReading = {},
  ): AsyncGenerator<DocumentPage> {
    const path = `${indexPath(indexUid)}/documents/fetch`;
    const answerBytesMax = pageBytes * ANSWER_FACTOR;
    let limit = PAGE_FIRST;
    for (let at = offset; ; ) {
      const body = { ...choice, offset: at, limit };
      const text = await this.#unlessTooLarge(path, { body, answerBytesMax }, limit);
      if (text === null) {
        limit = Math.max(1, Math.floor(limit / ANSWER_FACTOR));
        continue;
      }
      const page = documentPage(text);
      if (page.documents.length > 0) yield page;
      if (page.documents.length < limit) return;
      at += limit;
      const fitting = Math.floor((limit * pageBytes) / text.length);
      limit = Math.max(1, Math.min(fitting, limit * PAGE_GROWTH, PAGE_MAX));
    }
  }

  /** Null if the answer is too large and could be smaller. @param limit documents of the page */
  async #unlessTooLarge(
    path: string,
    request: InstanceRequest,
    limit: number,
  ): Promise<string | null> {
    try {
      return await this.text('POST', path, request);
    } catch (error) {
      if (error instanceof AnswerTooLarge && limit > 1) return null;
      throw error;
    }
  }

  /**
   * Resolves when the task has ended, in any status.
   * @param onWait called at each poll while the task is unfinished
   */
  async ended(
    taskUid: number,
    onWait: (task: FollowedTask) => void | Promise<void> = () => undefined,
  ): Promise<FollowedTask> {
    for (;;) {
      const task = await this.request<FollowedTask>('GET', `/tasks/${taskUid}`);
      if (isOver(task)) return task;
      await onWait(task);
      await wait(POLL_MS);
    }
  }

  /** @throws CommandFailure if the task did not succeed */
  async succeeded(taskUid: number): Promise<FollowedTask> {
    const task = await this.ended(taskUid);
    if (task.status === 'succeeded') return task;
    const message = `task ${taskUid}: ${failureReason(task)}`;
    throw new CommandFailure(message, undefined, task.error?.code ?? null);
  }

  /** Sends a write and waits for its task. @throws CommandFailure if the task did not succeed */
  async settle(...request: Parameters<Instance['request']>): Promise<FollowedTask> {
    const { taskUid } = await this.request<{ taskUid: number }>(...request);
    return this.succeeded(taskUid);
  }

  async #send(method: Method, path: string, request: InstanceRequest): Promise<Answer> {
    for (let attempt = 0; ; attempt += 1) {
      const pauseMs = RETRY_MS[attempt];
      try {
        const answer = await this.#attempt(method, path, request);
        this.#hasAnswered = true;
        if (answer.status !== 503 || pauseMs === undefined) return answer;
      } catch (error) {
        if (error instanceof CommandFailure) throw error;
        if (pauseMs === undefined || !this.#hasAnswered)
          throw new CommandFailure(`${this.url} does not answer: ${reasonOf(error)}`);
      }
      await wait(pauseMs);
    }
  }

  async #attempt(method: Method, path: string, request: InstanceRequest): Promise<Answer> {
    const { body, bytes, answerBytesMax = Number.POSITIVE_INFINITY } = request;
    const isJson = body !== undefined;
    const contentType = isJson ? 'application/json' : request.contentType;
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(this.key !== null && { Authorization: `Bearer ${this.key}` }),
        ...(contentType !== undefined && { 'Content-Type': contentType }),
        // Searches of commands are none of users.
        'X-Gannet-Analytics': 'off',
      },
      ...(isJson && { body: JSON.stringify(body) }),
      ...(bytes !== undefined && { body: bytes as Uint8Array<ArrayBuffer> }),
    });
    return { status: response.status, text: await textOf(response, answerBytesMax) };
  }
}

async function textOf(response: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > bytesMax) throw new AnswerTooLarge(bytesMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** The network error that `fetch` puts into the cause of its error. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  const { code, message: deeper } = (cause ?? {}) as { code?: string; message?: string };
  return code ?? deeper ?? message;
}

/** @throws CommandFailure if the answer is not a page of documents */
function documentPage(text: string): DocumentPage {
  const page = parseJson(text);
  if (!isObject(page) || !Array.isArray(page['results']))
    throw new CommandFailure('the server answered without a page of documents');
  const results = rawMembers(text).get('results') ?? '[]';
  // Line ends occur only between tokens: within strings they are escaped.
  const documents = [...rawElements(results)].map((document) => document.replace(/[\r\n]/g, ' '));
  return { documents, total: Number(page['total']) };
}

/** Long integers are strings of their digits, so that ids of documents stay whole. */
function parsedAnswer(text: string): unknown {
  try {
    return parseWithDigits(text);
  } catch {
    throw new CommandFailure(`the server's answer is not JSON: ${text.slice(0, 80)}`);
  }
}

function refusal(status: number, text: string): CommandFailure {
  const { message, code } = objectOf(parseJson(text));
  if (typeof message === 'string' && typeof code === 'string')
    return new CommandFailure(`${message} (${code})`, undefined, code);
  return new CommandFailure(`the server answered with status ${status}`);
}
