/** Settings of chat workspaces: what a change makes of them, and how they are shown. */
import { describe, expect, it } from 'vitest';
import {
  changedWorkspace,
  DEFAULT_PROMPTS,
  maskedWorkspaceSettings,
  newWorkspace,
  workspaceSettings,
} from '../../../src/model/chat-workspace.ts';
import type { ChatWorkspaceUpdate } from '../../../src/model/schemas/chat-schema.ts';

const change = (update: ChatWorkspaceUpdate, before = newWorkspace('shop')) =>
  changedWorkspace(before, update).value;

describe('a change of a workspace', () => {
  it('leaves what it does not name, and null resets', () => {
    const made = change({ source: 'mistral', apiKey: 'k', prompts: { system: 'Be brief.' } });
    const later = change({ apiKey: null, source: null, orgId: 'o' }, made);
    expect(workspaceSettings(later)).toMatchObject({
      source: 'openAi',
      apiKey: null,
      orgId: 'o',
      prompts: { ...DEFAULT_PROMPTS, system: 'Be brief.' },
    });
    expect(change({ prompts: { system: null } }, made).prompts).toEqual({});
    expect(change({ prompts: null }, made).prompts).toEqual({});
  });

  it('keeps no prompt that is as by default', () => {
    expect(change({ prompts: { ...DEFAULT_PROMPTS } }).prompts).toEqual({});
  });

  it.each([
    [{ source: 'azureOpenAi' }, 'bad_request'],
    [{ source: 'azureOpenAi', baseUrl: 'https://a.example', deploymentId: 'd' }, 'bad_request'],
    [{ source: 'vLlm' }, 'bad_request'],
    [{ baseUrl: 'ftp://a.example' }, 'invalid_chat_completion_base_api'],
  ] as const)('%j is refused', (update, code) => {
    expect(() => change(update)).toThrow(expect.objectContaining({ code }));
  });

  it('may give a source all that it needs', () => {
    const azure = {
      source: 'azureOpenAi',
      baseUrl: 'https://a.example',
      deploymentId: 'd',
    } as const;
    expect(change({ ...azure, apiVersion: 'v' })).toMatchObject({ apiVersion: 'v' });
  });
});

it('answers show a part of the secret', () => {
  const secret = 'sk-0123456789012345678901234567890123456789';
  const shown = maskedWorkspaceSettings(change({ apiKey: secret }));
  expect(shown.apiKey).toBe('sk-01XXXXXX...');
});
