/** Members of a route's request that most tests leave at rest. */
import {
  ROUTE_HEADERS,
  type RouteHeaders,
  type RouteRequest,
} from '../../src/api/contract/route.ts';

export const NO_HEADERS = Object.fromEntries(
  Object.keys(ROUTE_HEADERS).map((name) => [name, '']),
) as RouteHeaders;

export const noAsk: RouteRequest<unknown, unknown, unknown>['ask'] = () =>
  Promise.reject(new Error('the test has no other routes'));
