/** Requests of chats that are refused. */
import type { ErrorCode } from '../../../src/core/error-codes.ts';
import { get, patch, post, type RouteErrorCase, remove } from './refused-request.ts';

const on = (one: RouteErrorCase): RouteErrorCase => ({
  ...one,
  features: { chatCompletions: true },
});

const SETTINGS = '/chats/shop/settings';
const COMPLETIONS = '/chats/absent/chat/completions';
const messages = [{ role: 'user', content: 'hello' }];

const wrongSettings: readonly (readonly [body: unknown, code: ErrorCode])[] = [
  [{ source: 'gemini' }, 'bad_request'],
  [{ source: 3 }, 'bad_request'],
  [{ source: 'vLlm' }, 'bad_request'],
  [{ prompts: 3 }, 'bad_request'],
  [{ foo: 1 }, 'bad_request'],
  [{ prompts: { foo: 'x' } }, 'bad_request'],
  [{ orgId: 1 }, 'invalid_chat_completion_org_id'],
  [{ projectId: 1 }, 'invalid_chat_completion_project_id'],
  [{ apiVersion: 1 }, 'invalid_chat_completion_api_version'],
  [{ deploymentId: 1 }, 'invalid_chat_completion_deployment_id'],
  [{ baseUrl: 1 }, 'invalid_chat_completion_base_api'],
  [{ baseUrl: 'x' }, 'invalid_chat_completion_base_api'],
  [{ apiKey: {} }, 'invalid_chat_completion_api_key'],
  [{ apiKey: 'x'.repeat(2001) }, 'invalid_chat_completion_api_key'],
  [{ prompts: { system: 1 } }, 'invalid_chat_completion_system_prompt'],
  [{ prompts: { searchDescription: 1 } }, 'invalid_chat_completion_search_description_prompt'],
  [{ prompts: { searchQParam: 1 } }, 'invalid_chat_completion_search_query_param_prompt'],
  [{ prompts: { searchFilterParam: 1 } }, 'invalid_chat_completion_search_filter_param_prompt'],
  [
    { prompts: { searchIndexUidParam: 1 } },
    'invalid_chat_completion_search_index_uid_param_prompt',
  ],
];

const wrongCompletions: readonly (readonly [body: unknown, code: ErrorCode])[] = [
  [{ messages }, 'bad_request'],
  [{ model: 'm' }, 'bad_request'],
  [{ model: 'm', messages: [] }, 'bad_request'],
  [{ model: 'm', messages: [{ role: 'king' }] }, 'bad_request'],
  [{ model: 'm', messages, tools: [{}] }, 'bad_request'],
  [{ model: 'm', messages }, 'unimplemented_non_streaming_chat_completions'],
  [{ model: 'm', messages, stream: true, n: 3 }, 'unimplemented_multi_choice_chat_completions'],
  [
    { model: 'm', messages, stream: true, tools: [{ function: { name: 'mine' } }] },
    'unimplemented_external_function_calling',
  ],
  [{ model: 'm', messages, stream: true }, 'chat_not_found'],
];

export const chatErrors: readonly RouteErrorCase[] = [
  get('chats.list', '/chats', 'feature_not_enabled'),
  get('chats.get', '/chats/shop', 'feature_not_enabled'),
  remove('chats.delete', '/chats/shop', 'feature_not_enabled'),
  get('chats.settings.get', SETTINGS, 'feature_not_enabled'),
  patch('chats.settings.update', SETTINGS, {}, 'feature_not_enabled'),
  remove('chats.settings.reset', SETTINGS, 'feature_not_enabled'),
  post('chats.complete', COMPLETIONS, { model: 'm', messages }, 'feature_not_enabled'),
  ...[
    get('chats.list', '/chats?offset=a', 'invalid_index_offset'),
    get('chats.list', '/chats?limit=-1', 'invalid_index_limit'),
    get('chats.get', '/chats/absent', 'chat_not_found'),
    get('chats.get', '/chats/a%20b', 'invalid_index_uid'),
    remove('chats.delete', '/chats/absent', 'chat_not_found'),
    remove('chats.delete', '/chats/a%20b', 'invalid_index_uid'),
    get('chats.settings.get', '/chats/absent/settings', 'chat_not_found'),
    get('chats.settings.get', '/chats/a%20b/settings', 'invalid_index_uid'),
    remove('chats.settings.reset', '/chats/absent/settings', 'chat_not_found'),
    remove('chats.settings.reset', '/chats/a%20b/settings', 'invalid_index_uid'),
    patch('chats.settings.update', '/chats/a%20b/settings', {}, 'invalid_index_uid'),
    post(
      'chats.complete',
      '/chats/a%20b/chat/completions',
      { model: 'm', messages },
      'invalid_index_uid',
    ),
    ...wrongSettings.map(([body, code]) => patch('chats.settings.update', SETTINGS, body, code)),
    ...wrongCompletions.map(([body, code]) => post('chats.complete', COMPLETIONS, body, code)),
  ].map(on),
];
