/** Start here: the MCP server of one connection or request: the tools, asked of a target. */
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { askTool, TOOLS, type ToolAnswer, type ToolTarget } from './tools.ts';

export interface McpOptions {
  readonly target: ToolTarget;
  readonly version: string;
  /** Includes tools that change documents. */
  readonly mayWrite: boolean;
}

/**
 * The tools with their schemas, made once: the SDK compiles each schema, which takes a millisecond, and
 * keeps it as long as the process runs.
 */
const OFFERED = Object.entries(TOOLS).map(([name, tool]) => ({
  name,
  tool,
  inputSchema: fromJsonSchema<Record<string, unknown>>({
    type: 'object',
    properties: tool.properties,
    required: [...tool.required],
    additionalProperties: false,
  } as never),
}));

const INSTRUCTIONS =
  'Searches a Gannet server. Ask index_settings before filters, facets and sorts: they accept only the attributes in the settings.';

export function makeServer({ target, version, mayWrite }: McpOptions): McpServer {
  const about = { name: 'gannet', version };
  const server = new McpServer(about, { instructions: INSTRUCTIONS });
  for (const { name, tool, inputSchema } of OFFERED) {
    const { title, description, isWrite = false } = tool;
    if (isWrite && !mayWrite) continue;
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
