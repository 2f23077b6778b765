/** The table of error codes with the routes that return them, for the documentation. */
import { type ErrorCode, errorCodes } from '../../core/error-codes.ts';
import { errorsOf, type Route } from '../contract/route.ts';

export interface ErrorReference {
  readonly code: string;
  readonly type: string;
  readonly status: number;
  /** Route ids; empty for errors of tasks only. */
  readonly routes: readonly string[];
}

/** In the order of the codes. */
export function errorReferences(routes: readonly Route[]): readonly ErrorReference[] {
  const declared = routes.map((route) => ({ id: route.id, errors: errorsOf(route) }));
  return Object.entries(errorCodes).map(([code, { type, status }]) => ({
    code,
    type,
    status,
    routes: declared.filter(({ errors }) => errors.has(code as ErrorCode)).map(({ id }) => id),
  }));
}
