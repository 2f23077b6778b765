/** Where each source is asked, and with which headers. */
import { expect, it } from 'vitest';
import { providerBody, providerRequest } from '../../../src/chat/provider-request.ts';
import { newWorkspace } from '../../../src/model/chat-workspace.ts';
import type { ChatCompletionBody } from '../../../src/model/schemas/chat-schema.ts';

const body: ChatCompletionBody = { model: 'm', messages: [{ role: 'user' }], stream: true };
const round = { messages: body.messages, tools: [], toolChoice: 'auto' };

it.each([
  [
    { orgId: 'o', projectId: 'p' },
    'https://api.openai.com/v1/chat/completions',
    { authorization: 'Bearer k', 'openai-organization': 'o', 'openai-project': 'p' },
  ],
  [
    { baseUrl: 'https://proxy.example/openai' },
    'https://proxy.example/openai/chat/completions',
    { authorization: 'Bearer k' },
  ],
  [
    {
      source: 'azureOpenAi',
      baseUrl: 'https://a.example/',
      deploymentId: 'd/1',
      apiVersion: '1&2',
    },
    'https://a.example/openai/deployments/d%2F1/chat/completions?api-version=1%262',
    { 'api-key': 'k' },
  ],
  [
    { source: 'mistral' },
    'https://api.mistral.ai/v1/chat/completions',
    { authorization: 'Bearer k' },
  ],
  [
    { source: 'vLlm', baseUrl: 'http://gpu.example:8000/v1', apiKey: null },
    'http://gpu.example:8000/v1/chat/completions',
    {},
  ],
] as const)('%j asks at its address', (settings, url, headers) => {
  const asked = providerRequest({ ...newWorkspace('w'), apiKey: 'k', ...settings });
  expect(asked.url).toBe(url);
  const { 'content-type': _, accept: __, ...others } = asked.headers;
  expect(others).toEqual(headers);
});

it('mistral is not asked for usage, which it tells by itself and refuses to be asked for', () => {
  const mistral = { ...newWorkspace('w'), source: 'mistral' } as const;
  expect(providerBody(mistral, body, round)).not.toHaveProperty('stream_options');
  expect(providerBody(newWorkspace('w'), body, round)).toHaveProperty('stream_options');
});

it('without an index there is no tool, and no choice of one', () => {
  expect(providerBody(newWorkspace('w'), { ...body, tool_choice: 'required' }, round)).toEqual({
    model: 'm',
    messages: body.messages,
    stream: true,
    stream_options: { include_usage: true },
  });
});
