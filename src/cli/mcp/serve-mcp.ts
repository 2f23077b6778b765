/**
 * Entry: serves the Model Context Protocol over standard input and output until the input ends. The
 * build bundles it with the SDK into one file, so that the package does not depend on the SDK's
 * packages.
 */
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { CommandFailure } from '../command-failure.ts';
import { AnswerTooLarge, Instance } from '../instance-client.ts';
import { askTool, TOOLS } from './tools.ts';

export interface McpOptions {
  readonly url: string;
  readonly key: string | null;
  readonly version: string;
  /** Includes tools that change documents. */
  readonly mayWrite: boolean;
}

const INSTRUCTIONS =
  'Searches a Gannet server. Ask index_settings before filters, facets and sorts: they accept only the attributes in the settings.';

function makeServer({ url, key, version, mayWrite }: McpOptions): McpServer {
  const instance = new Instance(url, key);
  const about = { name: 'gannet', version };
  const server = new McpServer(about, { instructions: INSTRUCTIONS });
  const offered = Object.entries(TOOLS).filter(([, { isWrite }]) => mayWrite || !isWrite);
  for (const [name, tool] of offered) {
    const { title, description, properties, required, isWrite = false } = tool;
    const schema = {
      type: 'object',
      properties,
      required: [...required],
      additionalProperties: false,
    };
    const inputSchema = fromJsonSchema<Record<string, unknown>>(schema as never);
    const annotations = { readOnlyHint: !isWrite, idempotentHint: true, openWorldHint: false };
    server.registerTool(name, { title, description, inputSchema, annotations }, async (given) => {
      try {
        return { content: [{ type: 'text' as const, text: await askTool(tool, instance, given) }] };
      } catch (error) {
        return refused(error);
      }
    });
  }
  return server;
}

/** Returns an expected failure with its code to the assistant. */
function refused(error: unknown) {
  if (!(error instanceof CommandFailure)) throw error;
  const advice =
    error instanceof AnswerTooLarge ? ': request fewer documents, or fewer fields' : '';
  const failure = { error: { message: `${error.message}${advice}`, code: error.code } };
  const text = JSON.stringify(failure);
  return { isError: true, content: [{ type: 'text' as const, text }], structuredContent: failure };
}

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
