/** Routes of chats: workspaces with their settings, and completions. */
import { randomUUID } from 'node:crypto';
import { chatEvents, type Found } from '../../chat/chat.ts';
import type { ChatLimits } from '../../chat/chat-limits.ts';
import { declaredTools } from '../../chat/client-tools.ts';
import { SEARCH_TOOL, type SearchCall } from '../../chat/search-tool.ts';
import type { Requester } from '../../core/caller.ts';
import { WorkStopped } from '../../core/deadline.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';
import { isGiven } from '../../core/is-given.ts';
import { objectOf } from '../../core/json.ts';
import {
  type ChatWorkspace,
  chatNotFound,
  maskedWorkspaceSettings,
} from '../../model/chat-workspace.ts';
import { ChatCompletionBody, ChatWorkspaceUpdate } from '../../model/schemas/chat-schema.ts';
import { IndexListQuery } from '../../model/schemas/index-schema.ts';
import { shownWarnings } from '../../model/secret-origin.ts';
import type { ApiContext } from '../contract/context.ts';
import { withComments } from '../contract/event-stream.ts';
import { offsetPage } from '../contract/offset-page.ts';
import { checkedUid } from '../contract/path-uid.ts';
import { defineRoute, type Route } from '../contract/route.ts';
import { type ChatCaller, chatIndexes, searchForChat } from '../searches/chat-search.ts';

interface WorkspacePath {
  readonly workspaceUid: string;
}

const FEATURE = 'chatCompletions';
const PATH_ERRORS: readonly ErrorCode[] = ['invalid_index_uid'];

/** @throws ApiError `invalid_index_uid` */
const uidOf = ({ workspaceUid: uid }: WorkspacePath): string =>
  checkedUid(uid, 'uid of a chat workspace');

function requireWorkspace(
  { chats }: Pick<ApiContext, 'chats'>,
  path: WorkspacePath,
): ChatWorkspace {
  const uid = uidOf(path);
  const workspace = chats.find((one) => one.uid === uid);
  if (workspace === undefined) throw chatNotFound(uid);
  return workspace;
}

/** Checks beyond the schema. Throws `ApiError`. */
function checkCompletion(
  body: ChatCompletionBody,
  { requestCharsMax }: Pick<ChatLimits, 'requestCharsMax'>,
): void {
  if (isGiven(body.n) && body.n !== 1)
    throw new ApiError(
      'unimplemented_multi_choice_chat_completions',
      `\`n\` is ${body.n}, expected 1: there is one answer to a request.`,
    );
  if (body.stream !== true)
    throw new ApiError(
      'unimplemented_non_streaming_chat_completions',
      '`stream` must be `true`: answers are only available as a stream of events.',
    );
  checkToolChoice(body['tool_choice']);
  const chars = JSON.stringify(body.messages).length;
  if (chars > requestCharsMax)
    throw new ApiError(
      'payload_too_large',
      `\`messages\` has ${chars} characters as JSON; at most ${requestCharsMax} are allowed.`,
    );
}

function checkToolChoice(choice: unknown): void {
  if (!isGiven(choice)) return;
  if (['none', 'auto', 'required'].includes(String(choice))) return;
  const named = objectOf(objectOf(choice)['function']);
  if (named['name'] === SEARCH_TOOL) return;
  throw new ApiError(
    'bad_request',
    `\`tool_choice\` is ${JSON.stringify(choice).slice(0, 100)}, expected \`none\`, \`auto\`, \`required\`, or \`{"type": "function", "function": {"name": "${SEARCH_TOOL}"}}\`.`,
  );
}

/**
 * The time limit applies to each search of a chat instead of the whole chat. @param chatSignal
 * aborted when the client disconnects
 */
async function searchOnce(
  context: ApiContext,
  { access, caller }: ChatCaller,
  call: SearchCall,
  chatSignal: AbortSignal,
): Promise<Found> {
  const end = new AbortController();
  const stop = (reason: WorkStopped['reason']) => () =>
    end.abort(new WorkStopped(reason).toApiError());
  const timer = setTimeout(stop('timeout'), context.config.searchTimeoutMs);
  const leave = stop('clientLeft');
  if (chatSignal.aborted) leave();
  chatSignal.addEventListener('abort', leave);
  const { requestUid, keyUid } = caller;
  const searcher: Requester = {
    get isAborted() {
      return chatSignal.aborted;
    },
    requestUid,
    keyUid,
    signal: end.signal,
    searchWasCut: () => caller.searchWasCut?.(),
  };
  try {
    return await searchForChat(context, { access, caller: searcher }, call);
  } finally {
    clearTimeout(timer);
    chatSignal.removeEventListener('abort', leave);
  }
}

export const chatRoutes: readonly Route[] = [
  defineRoute({
    id: 'chats.list',
    endpoint: 'GET /chats',
    action: 'chats.get',
    summary: 'List chat workspaces in order of uid',
    query: IndexListQuery,
    feature: FEATURE,
    handler: ({ chats }, { query }) => offsetPage(chats, query, ({ uid }) => ({ uid })),
  }),
  defineRoute({
    id: 'chats.get',
    endpoint: 'GET /chats/:workspaceUid',
    action: 'chats.get',
    summary: 'Check that a chat workspace exists',
    feature: FEATURE,
    errors: [...PATH_ERRORS, 'chat_not_found'],
    handler: (context, { params }) => ({
      status: 200,
      json: { uid: requireWorkspace(context, params).uid },
    }),
  }),
  defineRoute({
    id: 'chats.delete',
    endpoint: 'DELETE /chats/:workspaceUid',
    action: 'chats.delete',
    summary: 'Delete a chat workspace',
    feature: FEATURE,
    errors: [...PATH_ERRORS, 'chat_not_found'],
    handler: async (context, { params }) => {
      await context.indexer.request('deleteChat', { uid: uidOf(params) });
      return { status: 204 };
    },
  }),
  defineRoute({
    id: 'chats.settings.get',
    endpoint: 'GET /chats/:workspaceUid/settings',
    action: 'chatsSettings.get',
    summary: 'Read the settings of a chat workspace',
    feature: FEATURE,
    errors: [...PATH_ERRORS, 'chat_not_found'],
    handler: (context, { params }) => ({
      status: 200,
      json: maskedWorkspaceSettings(requireWorkspace(context, params)),
    }),
  }),
  defineRoute({
    id: 'chats.settings.update',
    endpoint: 'PATCH /chats/:workspaceUid/settings',
    action: 'chatsSettings.update',
    summary: 'Create a chat workspace or update its settings; null resets one',
    body: ChatWorkspaceUpdate,
    feature: FEATURE,
    errors: PATH_ERRORS,
    handler: async (context, { params, body: update }) => {
      const uid = uidOf(params);
      const { value, warnings } = await context.indexer.request('updateChat', { uid, update });
      const json = { ...maskedWorkspaceSettings(value), ...shownWarnings(warnings) };
      return { status: 200, json };
    },
  }),
  defineRoute({
    id: 'chats.settings.reset',
    endpoint: 'DELETE /chats/:workspaceUid/settings',
    action: 'chatsSettings.update',
    summary: 'Reset all settings of a chat workspace',
    feature: FEATURE,
    errors: [...PATH_ERRORS, 'chat_not_found'],
    handler: async (context, { params }) => {
      const workspace = await context.indexer.request('resetChat', { uid: uidOf(params) });
      return { status: 200, json: maskedWorkspaceSettings(workspace) };
    },
  }),
  defineRoute({
    id: 'chats.complete',
    endpoint: 'POST /chats/:workspaceUid/chat/completions',
    action: 'chatCompletions',
    summary: 'Stream a chat completion of a model that searches the indexes',
    body: ChatCompletionBody,
    feature: FEATURE,
    errors: [
      ...PATH_ERRORS,
      'chat_not_found',
      'too_many_search_requests',
      'unimplemented_non_streaming_chat_completions',
      'unimplemented_multi_choice_chat_completions',
      'unimplemented_external_function_calling',
    ],
    handler: (context, { params, body, access, caller }) => {
      const { chat, clock, logger } = context;
      uidOf(params);
      checkCompletion(body, chat.limits);
      declaredTools(body);
      const workspace = requireWorkspace(context, params);
      const leave = chat.places.take();
      async function* events(signal: AbortSignal) {
        yield* chatEvents({
          workspace,
          body,
          indexes: await chatIndexes(context, { access, caller }),
          search: (call) => searchOnce(context, { access, caller }, call, signal),
          open: chat.open,
          metrics: chat.metrics,
          limits: chat.limits,
          createUid: randomUUID,
          now: clock.now,
          onBug: (error) =>
            logger.error({ err: error, request: caller.requestUid }, 'chat failed unexpectedly'),
          signal,
        });
      }
      return {
        status: 200,
        contentType: 'text/event-stream',
        stream: (signal) => withComments(events(signal), leave),
      };
    },
  }),
];
