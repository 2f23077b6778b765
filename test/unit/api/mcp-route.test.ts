/** Answers of the Model Context Protocol as the route passes them on. */
import { expect, it } from 'vitest';
import type { ApiContext } from '../../../src/api/contract/context.ts';
import { mcpRoutes } from '../../../src/api/routes/mcp-routes.ts';
import { createFakeApiContext } from '../../support/fake-api-context.ts';

const [route] = mcpRoutes;
type Request = Parameters<NonNullable<typeof route>['handler']>[1];
const request = { query: {}, headers: {}, body: {} } as unknown as Request;

const answered = (response: Response) =>
  route?.handler({ ...createFakeApiContext(), answerMcp: async () => response }, request);

it('are whole, with their status and type', async () => {
  const headers = { 'content-type': 'application/json' };
  expect(await answered(new Response('{}', { status: 400, headers }))).toEqual({
    status: 400,
    contentType: 'application/json',
    bytes: Buffer.from('{}'),
  });
  expect(await answered(new Response(null, { status: 202 }))).toEqual({ status: 202 });
});

it('that break off fail', async () => {
  const broken = new ReadableStream({ start: (body) => body.error(new Error('broken')) });
  const headers = { 'content-type': 'application/json' };
  await expect(answered(new Response(broken, { headers }))).rejects.toThrow('broken');
});

it('name a task that has not ended when the time of the request is over', async () => {
  const stop = new AbortController();
  const asked: string[] = [];
  const ask: Request['ask'] = async ({ target }) => {
    if (asked.push(target) === 2) stop.abort();
    return { status: 200, bytes: Buffer.from(JSON.stringify({ status: 'enqueued' })) };
  };
  const caller = { signal: stop.signal } as Request['caller'];
  let ended: unknown;
  const answerMcp: ApiContext['answerMcp'] = async ({ target }) => {
    ended = await target.ended(7);
    return new Response(null, { status: 202 });
  };
  await route?.handler({ ...createFakeApiContext(), answerMcp }, { ...request, ask, caller });
  expect(asked).toEqual(['/tasks/7', '/tasks/7']);
  expect(ended).toMatchObject({ refusal: { message: expect.stringContaining('still enqueued') } });
});
