/**
 * A stored secret never follows its URL to another server: embedders, chats, webhooks and remotes of
 * the network, each changed by someone who does not know the secret.
 */
import { describe, expect, it } from 'vitest';
import { maskSecret } from '../../../src/core/mask-secret.ts';
import { applySettings } from '../../../src/model/apply-settings.ts';
import { changedWorkspace, newWorkspace } from '../../../src/model/chat-workspace.ts';
import { changedNetwork, NO_NETWORK } from '../../../src/model/network.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/settings.ts';
import { changedWebhook } from '../../../src/model/webhook-update.ts';

const SECRET = 'a-secret-of-some-length-0123456789';
const SHOWN = maskSecret(SECRET);
const HOME = 'https://provider.example/v1';
/** The same server by another spelling or path. */
const SAME = ['https://PROVIDER.example:443/v2', 'https://provider.example/v1?x=1'];
const OTHER = [
  'https://attacker.example/v1',
  'http://provider.example/v1',
  'https://provider.example:8443/v1',
  'https://provider.example@attacker.example/v1',
  'https://provider.example.attacker.example/v1',
];

interface Outcome {
  /** All that is stored. */
  readonly stored: string;
  readonly warnings: readonly string[];
}
/** @param sent the secret in the request; absent = the request has none */
type Change = (url: string, sent?: string) => Outcome;

const request = ['{{text}}', '{{..}}'];
const embedder = { source: 'rest', request, response: ['{{embedding}}', '{{..}}'], url: HOME };
const settingsWith = (own: object) => applySettings(DEFAULT_SETTINGS, { embedders: { e: own } });

function ofEmbedder(stored: object, change: object): Outcome {
  const warnings: string[] = [];
  const settings = applySettings(settingsWith(stored), { embedders: { e: change } }, warnings);
  return { stored: JSON.stringify(settings.embedders), warnings };
}

const nested = (own: object) => ({
  source: 'composite',
  searchEmbedder: { ...embedder, ...own },
  indexingEmbedder: embedder,
});

const CHANGES: Readonly<Record<string, Change>> = {
  'the key of an embedder': (url, apiKey) =>
    ofEmbedder({ ...embedder, apiKey: SECRET }, { url, ...(apiKey && { apiKey }) }),
  'a header of an embedder': (url, sent) =>
    ofEmbedder(
      { ...embedder, headers: { 'X-Api-Key': SECRET } },
      { url, ...(sent && { headers: { 'X-Api-Key': sent } }) },
    ),
  'the key of a nested embedder': (url, apiKey) =>
    ofEmbedder(nested({ apiKey: SECRET }), {
      searchEmbedder: { source: 'rest', url, ...(apiKey && { apiKey }) },
    }),
  'the key of a chat': (baseUrl, apiKey) => {
    const { value: before } = changedWorkspace(newWorkspace('c'), {
      source: 'vLlm',
      baseUrl: HOME,
      apiKey: SECRET,
    });
    const { value, warnings } = changedWorkspace(before, { baseUrl, ...(apiKey && { apiKey }) });
    return { stored: JSON.stringify(value), warnings };
  },
  'a header of a webhook': (url, sent) => {
    const before = { uuid: 'w', url: HOME, headers: { Authorization: SECRET } };
    const headers = sent && { headers: { authorization: sent } };
    const { value, warnings } = changedWebhook(before, { uuid: 'w', url, ...headers });
    return { stored: JSON.stringify(value), warnings };
  },
  'the key of a remote': (url, searchApiKey) => {
    const { value: before } = changedNetwork(
      NO_NETWORK,
      { remotes: { r: { url: HOME, searchApiKey: SECRET } } },
      'v1',
    );
    const update = { remotes: { r: { url, ...(searchApiKey && { searchApiKey }) } } };
    const { value, warnings } = changedNetwork(before, update, 'v2');
    return { stored: JSON.stringify(value), warnings };
  },
};

describe.each(Object.entries(CHANGES))('%s', (_, change) => {
  it.each(OTHER)('does not go to %s, and a warning says so', (url) => {
    for (const sent of [undefined, SHOWN]) {
      const { stored, warnings } = change(url, sent);
      expect(stored).toContain(url);
      expect(stored).not.toContain(SECRET);
      expect(stored).not.toContain('XXX');
      expect(warnings).toEqual([expect.stringMatching(/was dropped/)]);
    }
  });

  it.each(OTHER)('goes to %s when it is sent again', (url) => {
    const { stored, warnings } = change(url, SECRET);
    expect(stored).toContain(SECRET);
    expect(warnings).toEqual([]);
  });

  it.each([HOME, ...SAME])('stays with %s', (url) => {
    for (const sent of [undefined, SHOWN]) {
      const { stored, warnings } = change(url, sent);
      expect(stored).toContain(SECRET);
      expect(warnings).toEqual([]);
    }
  });
});

describe('the provider of a source', () => {
  it('is another server than any URL', () => {
    const openAi = { source: 'openAi', apiKey: SECRET };
    for (const [before, url] of [
      [openAi, HOME],
      [{ ...openAi, url: HOME }, null],
    ] as const)
      expect(ofEmbedder(before, { url }).stored).not.toContain(SECRET);
  });

  it('of a chat is another server than that of another source', () => {
    const { value } = changedWorkspace(newWorkspace('c'), { apiKey: SECRET });
    const moved = changedWorkspace(value, { source: 'mistral' });
    expect(moved.value.apiKey).toBeNull();
    expect(moved.warnings).toHaveLength(1);
  });
});
