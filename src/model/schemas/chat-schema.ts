/** Schemas of the chat routes: settings of a workspace, and the request for a completion. */
import Type, { type Static } from 'typebox';
import type { ErrorCode } from '../../core/error-codes.ts';
import { anything, closed, flag, oneOf, optional, shortText } from './schema.ts';

/** Maximum characters, because every front holds all workspaces. */
const NAME_CHARS_MAX = 2000;
const PROMPT_CHARS_MAX = 50_000;

const name = (code: ErrorCode) => optional(shortText(code, NAME_CHARS_MAX));
const prompt = (code: ErrorCode) => optional(shortText(code, PROMPT_CHARS_MAX));

/** Absent members stay unchanged, null resets. */
export const ChatWorkspaceUpdate = closed({
  source: optional(oneOf(['openAi', 'azureOpenAi', 'mistral', 'vLlm'], 'bad_request')),
  orgId: name('invalid_chat_completion_org_id'),
  projectId: name('invalid_chat_completion_project_id'),
  apiVersion: name('invalid_chat_completion_api_version'),
  deploymentId: name('invalid_chat_completion_deployment_id'),
  baseUrl: name('invalid_chat_completion_base_api'),
  apiKey: name('invalid_chat_completion_api_key'),
  prompts: optional(
    closed(
      {
        system: prompt('invalid_chat_completion_system_prompt'),
        searchDescription: prompt('invalid_chat_completion_search_description_prompt'),
        searchQParam: prompt('invalid_chat_completion_search_query_param_prompt'),
        searchFilterParam: prompt('invalid_chat_completion_search_filter_param_prompt'),
        searchIndexUidParam: prompt('invalid_chat_completion_search_index_uid_param_prompt'),
      },
      { code: 'bad_request', expects: 'an object of texts' },
    ),
  ),
});
export type ChatWorkspaceUpdate = Static<typeof ChatWorkspaceUpdate>;

const ROLES = ['developer', 'system', 'user', 'assistant', 'tool', 'function'] as const;

/** The provider validates all other members. */
const Message = Type.Object(
  { role: oneOf([...ROLES], 'bad_request') },
  { expects: 'a message with its `role`' },
);
export type ChatMessage = Static<typeof Message> & Readonly<Record<string, unknown>>;

const Tool = Type.Object(
  {
    function: Type.Object(
      { name: Type.String({ expects: 'the name of a tool' }) },
      { expects: 'an object with the `name` of a tool' },
    ),
  },
  { expects: 'a tool: `{"type": "function", "function": {"name": …}}`' },
);

/** Other members are sent to the provider unchanged. */
export const ChatCompletionBody = Type.Object(
  {
    model: Type.String({ minLength: 1, expects: 'the name of a model' }),
    messages: Type.Array(Message, { minItems: 1, expects: 'an array of one message or more' }),
    stream: optional(flag('bad_request'), { expects: '`true`' }),
    n: optional(Type.Integer({ code: 'bad_request', expects: '1' })),
    tools: optional(Type.Array(Tool, { code: 'bad_request', expects: 'an array of tools' })),
    tool_choice: Type.Optional(anything()),
    stream_options: optional(
      Type.Object(
        { include_usage: optional(flag('bad_request')) },
        { code: 'bad_request', expects: 'an object' },
      ),
    ),
    functions: Type.Optional(anything()),
    function_call: Type.Optional(anything()),
  },
  { expects: 'an object' },
);
export type ChatCompletionBody = Static<typeof ChatCompletionBody> &
  Readonly<Record<string, unknown>>;
