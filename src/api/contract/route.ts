/** The type of routes: data for router, authorization, validation, documentation and tests. */
import type { Static, TSchema } from 'typebox';
import type { Access } from '../../auth/access.ts';
import type { Requester } from '../../core/caller.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import type { Action } from '../../model/actions.ts';
import type { Feature } from '../../model/features.ts';
import { codesOf } from '../../model/schemas/schema.ts';
import type { UploadOptions } from '../../model/upload.ts';
import type { Answer } from './answer.ts';
import type { ApiContext, StoredUpload } from './context.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type PathParameter<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathParameter<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;
type PathParameters<Path extends string> = { readonly [Name in PathParameter<Path>]: string };

/** Headers that routes may read, by their names on the wire. */
export const ROUTE_HEADERS = {
  includeMetadata: 'meili-include-metadata',
  /** Set by another instance that merges the hits with its own. */
  proxySearch: 'meili-proxy-search',
  /** Tags of the client's cached versions. */
  ifNoneMatch: 'if-none-match',
  /** User of a search or an event, for analytics. */
  userId: 'x-ms-user-id',
  /** `off` = analytics leave the search out. */
  analytics: 'x-gannet-analytics',
  accept: 'accept',
  /** Uid and dry run of a task that the request enqueues. */
  taskId: 'taskid',
  dryRun: 'dryrun',
  /** Trace and span of the caller (W3C Trace Context). */
  traceparent: 'traceparent',
  /** Of the Model Context Protocol: revision, method of the message, name of its tool. */
  mcpRevision: 'mcp-protocol-version',
  mcpMethod: 'mcp-method',
  mcpName: 'mcp-name',
} as const;

/** Headers that the pipeline reads, where several nodes share an object store. */
export const NODE_HEADERS = {
  /** Uid of a task; the request waits until this node serves its result. */
  minTask: 'x-gannet-min-task',
  /** Set by a node that does not write. */
  forwarded: 'x-gannet-forwarded',
} as const;

/** Values as sent; an absent header is ''. */
export type RouteHeaders = Readonly<Record<keyof typeof ROUTE_HEADERS, string>>;

export interface AskedRoute {
  readonly method: Method;
  /** Path and query string. */
  readonly target: string;
  /** Sent as JSON; absent = none. */
  readonly body?: unknown;
}

export interface RouteRequest<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly headers: RouteHeaders;
  readonly access: Access;
  /** As sent, without the question mark. */
  readonly rawQuery: string;
  /** `clock.monotonic()` when the request arrived. */
  readonly receivedAtMs: number;
  readonly caller: Requester;
  /** Sends a request to another route, with the key of this one. */
  readonly ask: (
    asked: AskedRoute,
  ) => Promise<{ readonly status: number; readonly bytes: Uint8Array }>;
}

interface RouteFacts {
  readonly id: string;
  /** null = public. */
  readonly action: Action | null;
  readonly summary: string;
  /** Experimental feature that the route needs; checked after the schemas. */
  readonly feature?: Feature;
  /** Error codes that the handler raises; the schemas' codes and `COMMON_ERRORS` are added. */
  readonly errors?: readonly ErrorCode[];
}

interface RouteData<Path extends string, Query extends TSchema> extends RouteFacts {
  readonly endpoint: `${Method} ${Path}`;
  /** Absent = reads no parameters and ignores them. */
  readonly query?: Query;
}

interface JsonRoute<Path extends string, Query extends TSchema, Body extends TSchema>
  extends RouteData<Path, Query> {
  /** Absent = the route reads no body. */
  readonly body?: Body;
  handler(
    context: ApiContext,
    request: RouteRequest<PathParameters<Path>, Static<Query>, Static<Body>>,
  ): Answer | Promise<Answer>;
}

/**
 * A route whose body is a document payload: limited and stored while it arrives, never parsed
 * entirely in this thread.
 */
interface UploadRoute<Path extends string, Query extends TSchema> extends RouteData<Path, Query> {
  /**
   * Called before the body is read. @param mediaType lower case, without parameters. Throws
   * `invalid_content_type`.
   */
  upload(mediaType: string, query: Static<Query>): UploadOptions;
  handler(
    context: ApiContext,
    request: RouteRequest<PathParameters<Path>, Static<Query>, StoredUpload>,
  ): Answer | Promise<Answer>;
}

/** A route in the tables; the types of its parts are checked at its definition. */
export interface Route extends RouteFacts {
  readonly method: Method;
  readonly path: string;
  /** Absent = reads no parameters and ignores them. */
  readonly query?: TSchema;
  readonly body?: TSchema;
  readonly upload?: (mediaType: string, query: unknown) => UploadOptions;
  readonly handler: (
    context: ApiContext,
    request: RouteRequest<Readonly<Record<string, string>>, unknown, unknown>,
  ) => Answer | Promise<Answer>;
}

export const defineRoute = <const Path extends string, Query extends TSchema, Body extends TSchema>(
  route: JsonRoute<Path, Query, Body>,
): Route => inTable(route as unknown as RouteData<string, TSchema>);

export const defineUploadRoute = <const Path extends string, Query extends TSchema>(
  route: UploadRoute<Path, Query>,
): Route => inTable(route as unknown as RouteData<string, TSchema>);

function inTable({ endpoint, ...route }: RouteData<string, TSchema>): Route {
  const [method, path] = endpoint.split(' ');
  return { ...route, method, path } as Route;
}

/** Error codes that the pipeline may raise, by the inputs of the route. */
export const COMMON_ERRORS = {
  any: ['bad_request', 'internal'],
  authorized: [
    'missing_authorization_header',
    'invalid_api_key',
    'too_many_requests',
    'indexer_unavailable',
    'invalid_store_file',
    'writer_unavailable',
    'task_not_served',
    'identity_provider_unavailable',
  ],
  indexInPath: ['invalid_index_uid'],
  body: [
    'missing_content_type',
    'invalid_content_type',
    'missing_payload',
    'malformed_payload',
    'payload_too_large',
    'payload_memory_exhausted',
  ],
} as const satisfies Record<string, readonly ErrorCode[]>;

/** Error codes of a read in a query thread. */
export const QUERY_ERRORS = [
  'too_many_search_requests',
  'search_timeout',
  'response_too_large',
] as const satisfies readonly ErrorCode[];

/** Error codes of the route's handler and schemas, without those that every route may raise. */
export function ownErrorsOf({ feature, errors = [], query, body }: Route): ErrorCode[] {
  const ofFeature: ErrorCode[] = feature === undefined ? [] : ['feature_not_enabled'];
  const codes = new Set([...ofFeature, ...errors, ...[query, body].flatMap(codesOf)]);
  return [...codes].filter((code) => code !== 'bad_request');
}

export function errorsOf(route: Route): ReadonlySet<ErrorCode> {
  return new Set<ErrorCode>([
    ...ownErrorsOf(route),
    ...COMMON_ERRORS.any,
    ...(route.action === null ? [] : COMMON_ERRORS.authorized),
    ...(route.path.includes(':indexUid') ? COMMON_ERRORS.indexInPath : []),
    ...(route.body !== undefined || route.upload !== undefined ? COMMON_ERRORS.body : []),
  ]);
}
