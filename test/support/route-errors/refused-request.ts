/** A request that the front refuses without asking anybody, and how one is written down. */
import type { ErrorCode } from '../../../src/core/error-codes.ts';
import type { Features } from '../../../src/model/features.ts';
import { type HttpRequestOptions, sendJson } from '../http-request.ts';

export const GUARDED_KEY_UID = '6062abda-a5aa-4414-ac91-ecd7944c0f8d';

export interface RouteErrorCase {
  readonly route: string;
  readonly method: string;
  readonly path: string;
  readonly options: HttpRequestOptions;
  readonly code: ErrorCode;
  /**
   * On a server with a master key, by its holder; one key exists there, its uid is
   * `GUARDED_KEY_UID`.
   */
  readonly isGuarded?: true;
  /** Absent = that of the code. */
  readonly status?: number;
  /** Experimental features that are on. */
  readonly features?: Partial<Features>;
}

/**
 * The index `films` exists with default settings, `semantic` has an embedder `default`; `absent`
 * does not exist.
 */
export const get = (route: string, path: string, code: ErrorCode): RouteErrorCase => ({
  route,
  method: 'GET',
  path,
  options: {},
  code,
});

export const remove = (route: string, path: string, code: ErrorCode): RouteErrorCase => ({
  route,
  method: 'DELETE',
  path,
  options: {},
  code,
});

const send =
  (method: 'POST' | 'PUT' | 'PATCH') =>
  (route: string, path: string, value: unknown, code: ErrorCode): RouteErrorCase => ({
    route,
    method,
    path,
    options: sendJson(value),
    code,
  });

export const post = send('POST');

export const put = send('PUT');

export const patch = send('PATCH');

export const JSON_TYPE = { 'content-type': 'application/json' };

export const raw = (
  route: string,
  method: string,
  path: string,
  options: HttpRequestOptions,
  code: ErrorCode,
): RouteErrorCase => ({
  route,
  method,
  path,
  options,
  code,
});
