/**
 * Entry: answers one request of the Model Context Protocol over streamable HTTP. No session is kept:
 * each request brings its key. The build bundles it with the SDK.
 */
import { createMcpHandler } from '@modelcontextprotocol/server';
import { type McpOptions, makeServer } from './mcp-server.ts';

export interface McpHttpRequest extends McpOptions {
  /** Of the protocol, by name; an absent header is ''. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Only paths and hosts of web pages matter to the handler, and no page is served here. */
const URL_OF_REQUEST = 'http://localhost/mcp';

export async function answerMcp({ headers, body, ...options }: McpHttpRequest): Promise<Response> {
  const given = Object.entries(headers).filter(([, value]) => value !== '');
  const handler = createMcpHandler(() => makeServer(options), { responseMode: 'json' });
  const request = new Request(URL_OF_REQUEST, {
    method: 'POST',
    headers: { ...Object.fromEntries(given), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return handler.fetch(request, { parsedBody: body });
}
