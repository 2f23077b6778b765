/** Start here: the MCP server of one connection or request: the tools, asked of a target. */
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { askTool, TOOLS, type ToolAnswer, type ToolTarget } from './tools.ts';

export interface McpOptions {
  readonly target: ToolTarget;
  readonly version: string;
  /** Includes tools that change documents. */
  readonly mayWrite: boolean;
}

const INSTRUCTIONS =
  'Searches a Gannet server. Ask index_settings before filters, facets and sorts: they accept only the attributes in the settings.';

export function makeServer({ target, version, mayWrite }: McpOptions): McpServer {
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
    server.registerTool(name, { title, description, inputSchema, annotations }, async (given) =>
      toResult(await askTool(tool, target, given)),
    );
  }
  return server;
}

const contentOf = (text: string) => [{ type: 'text' as const, text }];

/** Returns a refusal with its code to the assistant. */
function toResult(answer: ToolAnswer) {
  if ('text' in answer) return { content: contentOf(answer.text) };
  const error =
    'refusal' in answer
      ? answer.refusal
      : {
          message: `the server answered with more than ${answer.bytesMax} bytes: request fewer documents, or fewer fields`,
          code: null,
        };
  const failure = { error };
  return {
    isError: true,
    content: contentOf(JSON.stringify(failure)),
    structuredContent: failure,
  };
}
