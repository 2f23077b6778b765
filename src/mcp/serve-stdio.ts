/**
 * Entry: serves the Model Context Protocol over standard input and output until the input ends. The
 * build bundles it with the SDK into one file, so that the package does not depend on the SDK's
 * packages.
 */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { type McpOptions, makeServer } from './mcp-server.ts';

/** Resolves when the input has ended. */
export async function serveMcp(options: McpOptions): Promise<void> {
  const ended = new Promise<void>((done) => {
    process.stdin.once('end', done);
    process.stdin.once('close', done);
  });
  const handle = serveStdio(() => makeServer(options));
  await ended;
  await handle.close();
}
