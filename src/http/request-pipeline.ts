/**
 * Start here: the path of every request: route → authorize → read body → validate → handle →
 * serialize → log.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import type { Answer } from '../api/contract/answer.ts';
import type { BodyShare } from '../api/contract/body-memory.ts';
import type { ApiContext, ForwardedRequest, Forwarding } from '../api/contract/context.ts';
import { withEnqueueParameters } from '../api/contract/enqueue-parameters.ts';
import { needsWriter } from '../api/contract/needs-writer.ts';
import { checkedUid } from '../api/contract/path-uid.ts';
import { requireFeature } from '../api/contract/require-feature.ts';
import { type AskedRoute, ROUTE_HEADERS, type Route } from '../api/contract/route.ts';
import { untilTaskIsServed } from '../api/contract/served-task.ts';
import { SpooledBytes } from '../api/spooled-bytes.ts';
import { type Access, FULL_ACCESS } from '../auth/access.ts';
import { TooManyWrongKeys } from '../auth/auth-rate-limiter.ts';
import { type Authorize, type Credentials, createAuthorize } from '../auth/authorize.ts';
import type { Requester } from '../core/caller.ts';
import { WorkStopped } from '../core/deadline.ts';
import { ApiError, toEnvelope, toWire } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { TimeSlices } from '../core/time-slices.ts';
import type { TSchema } from '../model/schemas/schema.ts';
import type { OpenSpan } from '../observability/otlp.ts';
import { corsHeaders, isPreflight, preflightAnswer } from './cors.ts';
import { CLIENT_HEADER, type Exchange, type RawAnswer } from './exchange.ts';
import { type BodySource, HeldBody } from './held-body.ts';
import { InnerExchange } from './inner-exchange.ts';
import { JsonAmounts } from './json-amounts.ts';
import { parseJsonBody, parseLargeJsonBody } from './json-body.ts';
import { decodeQueryString } from './query-string.ts';
import { RequestAudit, type RequestEnd } from './request-audit.ts';
import { ClientGone, readBody, receiveBody } from './request-body.ts';
import { Router } from './router.ts';
import { sendAnswer } from './send-answer.ts';
import { isValid, validate, violation } from './validator.ts';

/** The media type of a Content-Type header: lower case, without parameters. Throws `missing_content_type`. */
function mediaTypeOf(contentType: string | null): string {
  if (contentType === 'application/json') return contentType;
  if (contentType === null) {
    throw new ApiError(
      'missing_content_type',
      'The request has a body but no `Content-Type` header that says what it is.',
    );
  }
  const semicolon = contentType.indexOf(';');
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
}

/** Accepts `json` and every subtype ending in `+json`. */
function requireJson(contentType: string | null): void {
  const mediaType = mediaTypeOf(contentType);
  const subtype = mediaType.slice(mediaType.indexOf('/') + 1);
  if (mediaType.includes('/') && (subtype === 'json' || subtype.endsWith('+json'))) return;
  throw new ApiError(
    'invalid_content_type',
    `The content type \`${mediaType}\` is not accepted here; it must be application/json.`,
  );
}

const notTheWriter = (): ApiError =>
  new ApiError('writer_unavailable', 'This node does not write. Please retry later.');

type Params = Readonly<Record<string, string>>;

const INTERNAL_ERROR = 500;
const FAULT = {
  code: 'internal',
  message: 'An unexpected error occurred; the log of the server has the details.',
} as const;
const REQUEST_UID_HEADER = 'X-Request-Id';
const SERVICE_UNAVAILABLE = 503;
const MS_PER_SECOND = 1000;
/** Longer JSON bodies are parsed, checked and handled in several turns of the event loop. */
const LARGE_JSON_BYTES = 1 << 18;
/** Least delay of an answer to an invalid key, after too many from the address; slows down guessing. */
const WRONG_KEY_DELAY_MS = 1000;
/** Delays of keys that arrive at once grow by the step, so that no turn answers all of them. */
const WRONG_KEY_STEP_MS = 10;
const WRONG_KEY_STEPS = 100;

function readQuery(route: Route, exchange: Exchange): unknown {
  if (route.query === undefined) return {};
  const query = decodeQueryString(exchange.queryString, route.query);
  validate(route.query, query);
  return query;
}

function checkIndexUid({ indexUid }: Params): void {
  if (indexUid !== undefined) checkedUid(indexUid, 'index name');
}

/** Keeps the body, which arrives in the meantime, for the route. */
async function withHeldBody(
  { body, upload }: Route,
  received: ReceivedRequest,
  granted: Promise<Access>,
): Promise<Access> {
  if (body === undefined && upload === undefined) return granted;
  const held = new HeldBody(received.exchange, received.memory);
  received.source = held;
  try {
    return await granted;
  } catch (error) {
    held.drop();
    throw error;
  }
}

function toForward(
  { method }: Route,
  { exchange: { path, queryString, headers }, span }: Pick<ReceivedRequest, 'exchange' | 'span'>,
): Pick<ForwardedRequest, 'method' | 'target' | 'headers'> {
  const { authorization, contentType, client, forRoutes } = headers;
  return {
    method,
    target: queryString === '' ? path : `${path}?${queryString}`,
    headers: {
      ...(authorization !== '' && { authorization }),
      ...(contentType !== null && { 'content-type': contentType }),
      ...(client !== '' && { [CLIENT_HEADER]: client }),
      ...(forRoutes.taskId !== '' && { [ROUTE_HEADERS.taskId]: forRoutes.taskId }),
      ...(forRoutes.dryRun !== '' && { [ROUTE_HEADERS.dryRun]: forRoutes.dryRun }),
      ...(span && { [ROUTE_HEADERS.traceparent]: span.traceparent }),
    },
  };
}

/** A running request, as the log and the query threads see it. */
class ReceivedRequest implements Requester, Credentials {
  readonly exchange: Exchange;
  /** Delivers the body of the exchange. */
  source: BodySource;
  readonly requestUid: string;
  readonly receivedAtMs: number;
  /** Share in the budget of request bodies. */
  readonly memory: BodyShare;
  /** Share in the budget of large answers. */
  readonly answerMemory: BodyShare;
  keyUid: string | null = null;
  span: OpenSpan | undefined;
  /** As validated; absent if the request was refused earlier. */
  query: unknown;
  body: unknown;
  isDegraded = false;
  readonly #timeLimitMs: number;
  readonly #monotonic: () => number;
  #address: string | null = null;
  #stop: AbortController | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    exchange: Exchange,
    requestUid: string,
    { clock, bodyMemory, answerMemory, config }: ApiContext,
  ) {
    this.#timeLimitMs = config.searchTimeoutMs;
    this.#monotonic = clock.monotonic;
    this.exchange = exchange;
    this.source = exchange;
    this.requestUid = requestUid;
    this.receivedAtMs = clock.monotonic();
    this.memory = bodyMemory.open();
    this.answerMemory = answerMemory.open();
  }

  get isAborted(): boolean {
    return this.exchange.isAborted;
  }

  /** Made at its first use: most requests need none. */
  get signal(): AbortSignal {
    if (this.#stop !== null) return this.#stop.signal;
    const stop = new AbortController();
    this.#stop = stop;
    const end = (reason: WorkStopped['reason']) => () =>
      stop.abort(new WorkStopped(reason).toApiError());
    this.exchange.whenAborted(end('clientLeft'));
    if (this.isAborted) end('clientLeft')();
    const spentMs = this.#monotonic() - this.receivedAtMs;
    this.#timer = setTimeout(end('timeout'), Math.max(0, this.#timeLimitMs - spentMs));
    return stop.signal;
  }

  /** Called when the request has been answered. */
  close(): void {
    clearTimeout(this.#timer);
    this.memory.release();
  }

  get header(): string {
    return this.exchange.headers.authorization;
  }

  searchWasCut(): void {
    this.isDegraded = true;
  }

  holdsAnswer(bytes: number): void {
    this.answerMemory.holdAtLeast(bytes);
  }

  address(): string {
    this.#address ??= this.exchange.remoteAddress();
    return this.#address;
  }
}

/** `Retry-After` for a temporary refusal. */
function retryHeaders(status: number, error: unknown): readonly string[] {
  if (error instanceof ApiError && error.retryAfterMs !== null)
    return ['Retry-After', String(Math.ceil(error.retryAfterMs / MS_PER_SECOND))];
  return status === SERVICE_UNAVAILABLE ? ['Retry-After', String(limits.retryAfterSeconds)] : [];
}

export class RequestPipeline {
  readonly #context: ApiContext;
  readonly #router: Router;
  readonly #authorize: Authorize;
  /** null = off. */
  readonly #audit: RequestAudit | null;
  /** Maximum body size of routes without documents. */
  readonly #jsonBytesMax: number;
  #delayedCount = 0;

  constructor(routes: readonly Route[], context: ApiContext) {
    this.#context = context;
    this.#router = new Router(routes);
    const { config, keys, openid, clock, guard, rates, bodyMemory } = context;
    this.#jsonBytesMax = Math.min(
      config.payloadBytesMax,
      limits.jsonBodyBytesMax,
      bodyMemory.largeBytesMax,
    );
    this.#audit = context.audit === null ? null : new RequestAudit(context.audit, context);
    const { masterKey, formerMasterKey, allowLooseTenantRules } = config;
    this.#authorize = createAuthorize({
      masterKey,
      formerMasterKey,
      keys,
      openid,
      guard,
      rates,
      aliases: () => context.aliases,
      now: clock.now,
      allowLooseTenantRules,
    });
  }

  /** Answers the exchange, possibly later; never throws. */
  handle(exchange: Exchange): void {
    const early = isPreflight(exchange) ? preflightAnswer(exchange) : this.#route(exchange);
    if (early !== null) exchange.send(early);
  }

  /** Starts the route of the exchange, or returns the error if no route matches. */
  #route(exchange: Exchange): RawAnswer | null {
    const match = this.#router.match(exchange.method, exchange.path);
    const headers = corsHeaders(exchange.headers.origin);
    if (match.kind === 'unknownPath') return { status: 404, headers, body: null };
    if (match.kind === 'otherMethod')
      return { status: 405, headers: [...headers, 'Allow', match.allow], body: null };
    const received = new ReceivedRequest(exchange, v7(), this.#context);
    void this.#run(match.route, this.#withIndex(match.params), received);
    return null;
  }

  /** The span of the request; undefined = off. */
  #begin({ method, path }: Route, { exchange, requestUid }: ReceivedRequest): OpenSpan | undefined {
    return this.#context.traces?.begin(
      `${method} ${path}`,
      exchange.headers.forRoutes.traceparent,
      {
        'http.request.method': method,
        'http.route': path,
        'gannet.request': requestUid,
      },
    );
  }

  /** The parameters of the path, with the index that an alias in it stands for. */
  #withIndex(params: Params): Params {
    const { indexUid } = params;
    const { aliases } = this.#context;
    if (aliases.isEmpty || indexUid === undefined) return params;
    return { ...params, indexUid: aliases.resolve(indexUid) };
  }

  async #run(route: Route, params: Params, received: ReceivedRequest): Promise<void> {
    let status = 0;
    let end: RequestEnd = null;
    const audit = this.#audit?.begin(route, params, received);
    const span = this.#begin(route, received);
    received.span = span;
    try {
      const answer = await this.#answer(route, params, received);
      end = answer;
      status = answer.status;
      const sending = this.#send(received, route, answer);
      if (sending !== undefined) await sending;
    } catch (error) {
      received.answerMemory.release();
      if (error instanceof ClientGone || received.isAborted) return;
      end = error as Error;
      status = await this.#sendError(received, route, error);
    } finally {
      received.close();
      audit?.(end === null ? null : status, end);
      span?.end({ 'http.response.status_code': status }, status >= INTERNAL_ERROR);
    }
    this.#ended(route, params, received, status);
  }

  /**
   * Everything before the first await runs before the adapter's handler returns, so that the body
   * can be received.
   */
  async #answer(route: Route, params: Params, received: ReceivedRequest): Promise<Answer> {
    const { exchange, receivedAtMs } = received;
    const granted =
      route.action === null
        ? FULL_ACCESS
        : this.#authorize(received, route.action, params['indexUid'] ?? null);
    const access =
      granted instanceof Promise ? await withHeldBody(route, received, granted) : granted;
    const { forwarding } = this.#context;
    if (forwarding?.isNeeded === true && needsWriter(route))
      return this.#forward(forwarding, route, received);
    let body: unknown;
    let query: unknown;
    if (route.upload !== undefined) {
      query = readQuery(route, exchange);
      checkIndexUid(params);
      body = await this.#readPayload(route.upload, query, received);
    } else {
      if (route.body !== undefined) body = await this.#readJson(route.body, received);
      query = readQuery(route, exchange);
      checkIndexUid(params);
    }
    received.query = query;
    received.body = body;
    const rawQuery = exchange.queryString;
    const request = {
      params,
      query,
      body,
      headers: exchange.headers.forRoutes,
      access,
      rawQuery,
      receivedAtMs,
      caller: received,
      ask: (asked: AskedRoute) =>
        new Promise<{ status: number; bytes: Uint8Array }>((resolve) =>
          this.handle(new InnerExchange(exchange, asked, resolve)),
        ),
    };
    const { minTask } = exchange.headers;
    if (minTask !== '' && !needsWriter(route))
      await untilTaskIsServed(
        this.#context,
        minTask,
        receivedAtMs + this.#context.config.searchTimeoutMs,
        received.signal,
      );
    if (route.feature !== undefined) requireFeature(this.#context.features, route.feature);
    const { forRoutes } = exchange.headers;
    const context = withEnqueueParameters(this.#context, forRoutes, received.span);
    return await route.handler(context, request);
  }

  /** @throws ApiError `writer_unavailable` if another node took this one for the writer */
  async #forward(forwarding: Forwarding, route: Route, received: ReceivedRequest): Promise<Answer> {
    const { exchange, signal } = received;
    if (exchange.headers.forwarded !== '') throw notTheWriter();
    if (route.body === undefined && route.upload === undefined)
      return forwarding.send({ ...toForward(route, received), body: null, signal });
    const bytesMax =
      route.upload === undefined ? this.#jsonBytesMax : this.#context.config.payloadBytesMax;
    const body = await this.#spool(received, bytesMax);
    try {
      return await forwarding.send({
        ...toForward(route, received),
        body: body.content(),
        signal,
      });
    } finally {
      body.abort();
    }
  }

  /** The value of a JSON body that the schema accepts. */
  async #readJson(schema: TSchema, received: ReceivedRequest): Promise<unknown> {
    const { exchange, source, memory } = received;
    requireJson(exchange.headers.contentType);
    const amounts = new JsonAmounts();
    const bytes = await readBody(source, this.#jsonBytesMax, memory, (part) => amounts.add(part));
    if (bytes.length <= LARGE_JSON_BYTES) {
      const value = parseJsonBody(bytes);
      validate(schema, value);
      return value;
    }
    const slices = new TimeSlices(this.#context.clock.monotonic, {});
    const value = await parseLargeJsonBody(bytes, slices, received);
    await slices.next();
    const isAccepted = isValid(schema, value);
    await slices.next();
    if (isAccepted) return value;
    throw violation(schema, value);
  }

  async #readPayload(
    upload: NonNullable<Route['upload']>,
    query: unknown,
    received: ReceivedRequest,
  ): Promise<unknown> {
    const options = upload(mediaTypeOf(received.exchange.headers.contentType), query);
    const payload = await this.#spool(received, this.#context.config.payloadBytesMax);
    if (payload.bytes > 0) return payload.finish(options);
    throw new ApiError(
      'missing_payload',
      'The request needs a body with documents, which is empty.',
    );
  }

  /** The body in memory or in a file. Starts to receive it before it returns. */
  async #spool({ source, memory }: ReceivedRequest, bytesMax: number): Promise<SpooledBytes> {
    const body = new SpooledBytes(this.#context.payloads);
    const bounds = { bytesMax, keptBytesMax: limits.inlinePayloadBytesMax, share: memory };
    try {
      return await receiveBody(
        source,
        bounds,
        (chunk) => body.write(chunk),
        () => body,
      );
    } catch (error) {
      body.abort();
      throw error;
    }
  }

  #send(
    received: ReceivedRequest,
    route: Route,
    answer: Answer,
    headers: readonly string[] = [],
  ): Promise<void> | undefined {
    return sendAnswer(received.exchange, answer, {
      more: [...headers, REQUEST_UID_HEADER, received.requestUid],
      memory: received.answerMemory,
      onFault: (error) => this.#logFault(received, route, error),
    });
  }

  async #sendError(received: ReceivedRequest, route: Route, error: unknown): Promise<number> {
    if (error instanceof TooManyWrongKeys) await this.#delayWrongKey();
    const isExpected = error instanceof ApiError;
    if (!isExpected) this.#logFault(received, route, error);
    const status = isExpected ? error.status : INTERNAL_ERROR;
    const json = toEnvelope(isExpected ? toWire(error) : FAULT);
    await this.#send(received, route, { status, json }, retryHeaders(status, error));
    return status;
  }

  async #delayWrongKey(): Promise<void> {
    const step = this.#delayedCount++ % WRONG_KEY_STEPS;
    await sleep(WRONG_KEY_DELAY_MS + step * WRONG_KEY_STEP_MS);
  }

  #logFault({ requestUid }: ReceivedRequest, route: Route, error: unknown): void {
    this.#context.logger.error(
      { err: error, route: route.id, request: requestUid },
      'request failed unexpectedly',
    );
  }

  #countUsage(
    { id: routeId }: Route,
    params: Params,
    { exchange: { headers }, query, body, isDegraded }: ReceivedRequest,
    outcome: { readonly status: number; readonly durationMs: number },
  ): void {
    const { usage, indexes } = this.#context;
    if (usage === null) return;
    const { client, contentType } = headers;
    const isIndexNew =
      params['indexUid'] !== undefined && indexes.get(params['indexUid']) === undefined;
    usage.ended({ routeId, query, body, client, contentType, isIndexNew, isDegraded, ...outcome });
  }

  #ended(route: Route, params: Params, received: ReceivedRequest, status: number): void {
    const { exchange, receivedAtMs, requestUid, keyUid } = received;
    const { logger, clock, requestMetrics } = this.#context;
    const durationMs = clock.monotonic() - receivedAtMs;
    requestMetrics.ended(route, status, durationMs);
    this.#countUsage(route, params, received, { status, durationMs });
    if (!logger.isLevelEnabled('debug')) return;
    logger.debug(
      {
        request: requestUid,
        key: keyUid,
        route: route.id,
        method: exchange.method,
        path: exchange.path,
        status,
        durationMs,
      },
      'request',
    );
  }
}
