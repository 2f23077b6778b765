/**
 * Malformed requests and what a public reference server answered to them: status, code and type
 * must be the same.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/api/routes/index.ts';
import type { HttpServer } from '../../src/http/exchange.ts';
import { serve } from '../../src/http/server.ts';
import { createFakeApiContext } from '../support/fake-api-context.ts';
import { httpCall } from '../support/http-request.ts';
import {
  type AnsweredRequest,
  differenceFrom,
  forIndex,
  recordedAnswers,
  sent,
} from '../support/recorded-answers.ts';

const KEY = 'a master key of some length';

const titleOf = ({ method, path, raw, body }: AnsweredRequest): string =>
  `${method} ${path} ${raw ?? JSON.stringify(body) ?? ''}`.slice(0, 120);

describe('the recorded answer is given to', () => {
  let server: HttpServer;
  beforeAll(async () => {
    const context = createFakeApiContext({ masterKey: KEY });
    context.publish('films');
    server = await serve({ host: '127.0.0.1', port: 0 }, routes, context);
  });
  afterAll(() => server.close(1000));

  it.each(
    forIndex('films', recordedAnswers().malformed).map((request): [string, AnsweredRequest] => [
      titleOf(request),
      request,
    ]),
  )('%s', async (_title, request) => {
    const { path, options } = sent(KEY, request);
    const answer = await httpCall(server.port, request.method, path, options);
    expect(differenceFrom(request, answer)).toBeNull();
  });
});
