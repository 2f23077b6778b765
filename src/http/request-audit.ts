/** Writes the audit log: changes and refused authorizations, without secrets and bodies. */
import type { Answer } from '../api/contract/answer.ts';
import type { ApiContext } from '../api/contract/context.ts';
import { needsWriter } from '../api/contract/needs-writer.ts';
import type { Route } from '../api/contract/route.ts';
import { TooManyWrongKeys } from '../auth/auth-rate-limiter.ts';
import type { ErrorCode } from '../core/error-codes.ts';
import { ApiError } from '../core/errors.ts';
import { isObject, objectOf, parseJson } from '../core/json.ts';
import type { AuditLine, AuditLog } from '../observability/audit-log.ts';

const REFUSALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'invalid_api_key',
  'missing_authorization_header',
  'missing_master_key',
]);
/** Adds to analytics, not to data. */
const EVENTS = 'events.add';
const TEXT_MAX = 600;
/** Longer answers of other nodes name no task. */
const FORWARDED_BYTES_MAX = 4096;

interface AuditedRequest {
  readonly requestUid: string;
  readonly keyUid: string | null;
  address(): string;
}

type AuditedRoute = Pick<Route, 'id' | 'method' | 'action' | 'path'>;

interface BegunRequest {
  readonly route: AuditedRoute;
  readonly request: AuditedRequest;
  /** In the path. */
  readonly index: string | undefined;
  /** The other object in the path. */
  readonly target: string | undefined;
}

/** How a request ended: its answer, its error, or null if the client left. */
export type RequestEnd = Answer | Error | null;

export class RequestAudit {
  readonly #log: AuditLog;
  readonly #context: Pick<ApiContext, 'keys' | 'config' | 'clock'>;

  constructor(log: AuditLog, context: Pick<ApiContext, 'keys' | 'config' | 'clock'>) {
    this.#log = log;
    this.#context = context;
  }

  /**
   * Must be called before the adapter's handler returns, while the address is known, and before the
   * request deletes the key in its path. @returns records the end of the request
   */
  begin(
    route: AuditedRoute,
    { indexUid, ...others }: Readonly<Record<string, string>>,
    request: AuditedRequest,
  ): (status: number | null, end: RequestEnd) => void {
    request.address();
    const begun = { route, request, index: indexUid, target: this.#target(others) };
    return (status, end) => this.#ended(begun, status, end);
  }

  #ended(begun: BegunRequest, status: number | null, end: RequestEnd): void {
    const { route, request } = begun;
    const isRefused = end instanceof ApiError && isRefusal(end);
    if (!isRefused && !isChange(route)) return;
    const answer = end === null || end instanceof Error ? {} : bodyOf(end);
    const { taskUid: task } = answer;
    const index = begun.index ?? answer['indexUid'];
    const target = begun.target ?? answer['uid'] ?? answer['uuid'];
    const key = request.keyUid === null ? undefined : this.#context.keys.byUid(request.keyUid);
    const line: AuditLine = {
      time: new Date(this.#context.clock.now()).toISOString(),
      request: request.requestUid,
      who: this.#who(request.keyUid, isRefused),
      ...(key?.record.name && { name: key.record.name }),
      address: request.address(),
      method: route.method,
      route: route.path,
      ...(typeof index === 'string' && { index: index.slice(0, TEXT_MAX) }),
      ...(typeof target === 'string' && { target: target.slice(0, TEXT_MAX) }),
      ...(typeof task === 'number' && { task }),
      status,
      ...(end instanceof ApiError && { error: end.code }),
    };
    if (isRefused) this.#log.refused(line);
    else this.#log.changed(line);
  }

  #who(keyUid: string | null, isRefused: boolean): string | null {
    if (keyUid !== null) return keyUid.startsWith('oidc:') ? keyUid : `key:${keyUid}`;
    if (isRefused) return null;
    return this.#context.config.masterKey === null ? 'anyone' : 'master';
  }

  /** An API key in a path is named by its uid. */
  #target({ uidOrKey, ...others }: Readonly<Record<string, string>>): string | undefined {
    if (uidOrKey === undefined) return Object.values(others)[0];
    return this.#context.keys.byUidOrValue(uidOrKey)?.record.uid;
  }
}

/** A limit of requests is no refusal of a right, but too many invalid keys are. */
const isRefusal = (error: ApiError): boolean =>
  REFUSALS.has(error.code) || error instanceof TooManyWrongKeys;

const isChange = (route: Pick<Route, 'id' | 'method' | 'action'>): boolean =>
  route.method !== 'GET' && route.action !== EVENTS && needsWriter(route);

/** The JSON of an answer, as far as it may name a task. */
function bodyOf(answer: Answer): Readonly<Record<string, unknown>> {
  if ('json' in answer) return objectOf(answer.json);
  if (!('bytes' in answer)) return {};
  const { bytes } = answer;
  const isShort = bytes instanceof Uint8Array && bytes.length <= FORWARDED_BYTES_MAX;
  const value = isShort ? parseJson(bytes) : undefined;
  return isObject(value) ? value : {};
}
