/** The Model Context Protocol over streamable HTTP: tools that ask this server, under the caller's key. */
import { setTimeout as wait } from 'node:timers/promises';
import { objectOf, parseJson } from '../../core/json.ts';
import type { ToolAnswer, ToolTarget } from '../../mcp/tools.ts';
import { McpBody, McpQuery } from '../../model/schemas/instance-schema.ts';
import {
  type AskedRoute,
  defineRoute,
  ROUTE_HEADERS,
  type Route,
  type RouteHeaders,
  type RouteRequest,
} from '../contract/route.ts';

const TASK_POLL_MS = 50;
const ENDED: readonly unknown[] = ['succeeded', 'failed', 'canceled'];

type Asking = Pick<RouteRequest<unknown, unknown, unknown>, 'ask' | 'caller'>;

async function askRoute({ ask }: Asking, asked: AskedRoute, bytesMax: number): Promise<ToolAnswer> {
  const { status, bytes } = await ask(asked);
  const isRefused = status < 200 || status > 299;
  if (!isRefused && bytes.length > bytesMax) return { bytesMax };
  const text = Buffer.from(bytes).toString();
  if (!isRefused) return { text };
  const { message, code } = objectOf(parseJson(text));
  return { refusal: { message: String(message), code: String(code) } };
}

/** Follows the task until it has ended, or until the end of the request. */
async function endOf(taskUid: number, asking: Asking): Promise<ToolAnswer> {
  const target = `/tasks/${taskUid}`;
  for (;;) {
    const answer = await askRoute(asking, { method: 'GET', target }, Number.POSITIVE_INFINITY);
    if (!('text' in answer)) return answer;
    const { status, error } = objectOf(parseJson(answer.text));
    if (status === 'succeeded') return answer;
    if (ENDED.includes(status)) {
      const { message = 'the task was canceled', code = null } = objectOf(error);
      return { refusal: { message: `task ${taskUid}: ${message}`, code: code as string | null } };
    }
    if (asking.caller.signal?.aborted === true) {
      const message = `task ${taskUid} is still ${status}: the server goes on with it, and this call has ended`;
      return { refusal: { message, code: null } };
    }
    await wait(TASK_POLL_MS);
  }
}

const targetOf = (asking: Asking): ToolTarget => ({
  ask: ({ method, path: target, body }, bytesMax) =>
    askRoute(asking, { method, target, ...(body !== undefined && { body }) }, bytesMax),
  ended: (taskUid) => endOf(taskUid, asking),
});

const protocolHeaders = (headers: RouteHeaders): Record<string, string> => ({
  [ROUTE_HEADERS.accept]: headers.accept,
  [ROUTE_HEADERS.mcpRevision]: headers.mcpRevision,
  [ROUTE_HEADERS.mcpMethod]: headers.mcpMethod,
  [ROUTE_HEADERS.mcpName]: headers.mcpName,
});

export const mcpRoutes: readonly Route[] = [
  defineRoute({
    id: 'mcp.post',
    endpoint: 'POST /mcp',
    action: 'search',
    summary:
      'The tools of the server for an assistant, by the Model Context Protocol over streamable HTTP',
    query: McpQuery,
    body: McpBody,
    handler: async ({ config, answerMcp }, request) => {
      const answer = await answerMcp({
        target: targetOf(request),
        version: config.version.pkgVersion,
        mayWrite: request.query.allowWrites === true,
        headers: protocolHeaders(request.headers),
        body: request.body,
      });
      const contentType = answer.headers.get('content-type');
      if (contentType === null) return { status: answer.status };
      return { status: answer.status, contentType, bytes: Buffer.from(await answer.arrayBuffer()) };
    },
  }),
];
