/**
 * Pure: tools that a client declares to receive progress. The stream contains calls of these tools
 * in the form of model calls; the model itself never sees them.
 */
import { ApiError } from '../core/errors.ts';
import type { ChatCompletionBody, ChatMessage } from '../model/schemas/chat-schema.ts';
import type { ToolCall } from './assistant-turn.ts';
import { SEARCH_TOOL } from './search-tool.ts';

const CLIENT_TOOLS = [
  '_meiliSearchProgress',
  '_meiliSearchSources',
  '_meiliAppendConversationMessage',
] as const;
type ClientTool = (typeof CLIENT_TOOLS)[number];

export interface Report {
  readonly tool: ClientTool;
  readonly arguments: object;
}

const isClientTool = (name: string): name is ClientTool =>
  (CLIENT_TOOLS as readonly string[]).includes(name);

/** Supported tools in the request. Throws `ApiError`. */
export function declaredTools({ tools, functions }: ChatCompletionBody): ReadonlySet<ClientTool> {
  if (Array.isArray(functions) && functions.length > 0)
    throw new ApiError(
      'unimplemented_external_function_calling',
      `\`functions\` are not taken; \`tools\` may name ${CLIENT_TOOLS.join(', ')}.`,
    );
  return new Set((tools ?? []).map(({ function: { name } }) => requireClientTool(name)));
}

function requireClientTool(name: string): ClientTool {
  if (isClientTool(name)) return name;
  if (name === SEARCH_TOOL)
    throw new ApiError(
      'bad_request',
      `\`tools\` names \`${name}\`, which the server declares itself; leave it out.`,
    );
  throw new ApiError(
    'unimplemented_external_function_calling',
    `\`tools\` names \`${name.slice(0, 100)}\`, which only your own code could call; the tools are ${CLIENT_TOOLS.join(', ')}.`,
  );
}

/** @param parameters as the model wrote them */
export const progressReport = (call: ToolCall): Report => ({
  tool: '_meiliSearchProgress',
  arguments: {
    call_id: call.id,
    function_name: call.function.name,
    function_parameters: call.function.arguments,
  },
});

export const sourcesReport = (call: ToolCall, documents: readonly unknown[]): Report => ({
  tool: '_meiliSearchSources',
  arguments: { call_id: call.id, documents },
});

/** Clients that send this message back give the model its earlier searches. */
export const appendReport = ({
  role,
  content = null,
  tool_calls = null,
  tool_call_id = null,
}: ChatMessage): Report => ({
  tool: '_meiliAppendConversationMessage',
  arguments: { role, content, tool_calls, tool_call_id },
});
