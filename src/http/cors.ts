/** Cross-origin rules: any origin, any method, any header. */
import type { Exchange, RawAnswer } from './exchange.ts';

const VARY = ['Vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'];
const WITH_ORIGIN = [...VARY, 'Access-Control-Allow-Origin', '*'];
const MAX_AGE_SECONDS = '86400';
const METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS, HEAD';

export const corsHeaders = (origin: string): readonly string[] =>
  origin === '' ? VARY : WITH_ORIGIN;

export const isPreflight = ({ method, headers }: Exchange): boolean =>
  method === 'OPTIONS' && headers.requestedMethod !== '';

export const preflightAnswer = ({ headers }: Exchange): RawAnswer => ({
  status: 200,
  headers: [
    ...WITH_ORIGIN,
    'Access-Control-Allow-Methods',
    METHODS,
    'Access-Control-Max-Age',
    MAX_AGE_SECONDS,
    ...(headers.requestedHeaders === ''
      ? []
      : ['Access-Control-Allow-Headers', headers.requestedHeaders]),
  ],
  body: null,
});
