/** Pure: builds the request for each chat source: URL, headers, body. */
import type { ChatSource, ChatWorkspace } from '../model/chat-workspace.ts';
import { baseUrlOf } from '../model/chat-workspace.ts';
import type { ChatCompletionBody, ChatMessage } from '../model/schemas/chat-schema.ts';

interface ProviderRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const withSlash = (url: string): string => (url.endsWith('/') ? url : `${url}/`);

const bearer = (apiKey: string | null): Record<string, string> =>
  apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };

const given = (headers: Readonly<Record<string, string | null>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter((header): header is [string, string] => header[1] !== null),
  );

interface SourceProtocol {
  path(workspace: ChatWorkspace): string;
  headers(workspace: ChatWorkspace): Record<string, string>;
  /** True: the provider reports token usage only on request; other providers refuse the option. */
  readonly asksForUsage: boolean;
}

const plain: SourceProtocol = {
  path: () => 'chat/completions',
  headers: ({ apiKey }) => bearer(apiKey),
  asksForUsage: true,
};

const PROTOCOLS: Readonly<Record<ChatSource, SourceProtocol>> = {
  openAi: {
    ...plain,
    headers: ({ apiKey, orgId, projectId }) => ({
      ...bearer(apiKey),
      ...given({ 'openai-organization': orgId, 'openai-project': projectId }),
    }),
  },
  azureOpenAi: {
    path: ({ deploymentId, apiVersion }) =>
      `openai/deployments/${encodeURIComponent(deploymentId ?? '')}/chat/completions?api-version=${encodeURIComponent(apiVersion ?? '')}`,
    headers: ({ apiKey }) => given({ 'api-key': apiKey }),
    asksForUsage: true,
  },
  mistral: { ...plain, asksForUsage: false },
  vLlm: plain,
};

export function providerRequest(workspace: ChatWorkspace): ProviderRequest {
  const protocol = PROTOCOLS[workspace.source];
  return {
    url: withSlash(baseUrlOf(workspace)) + protocol.path(workspace),
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...protocol.headers(workspace),
    },
  };
}

interface Round {
  readonly messages: readonly ChatMessage[];
  /** Tools that the model may call; empty = answer only. */
  readonly tools: readonly object[];
  /**
   * The client's choice applies to the first round; in later ones a forced call would never end.
   */
  readonly toolChoice: unknown;
}

export function providerBody(
  { source }: ChatWorkspace,
  body: ChatCompletionBody,
  { messages, tools, toolChoice }: Round,
): object {
  const {
    messages: _messages,
    tools: _tools,
    tool_choice: _choice,
    functions: _functions,
    function_call: _call,
    n: _n,
    stream: _stream,
    stream_options: streamOptions,
    parallel_tool_calls: parallel,
    ...same
  } = body;
  return {
    ...same,
    messages,
    stream: true,
    ...(PROTOCOLS[source].asksForUsage && {
      stream_options: { ...streamOptions, include_usage: true },
    }),
    ...(tools.length > 0 && {
      tools,
      tool_choice: toolChoice,
      ...(parallel !== undefined && { parallel_tool_calls: parallel }),
    }),
  };
}
