/** What child processes are handed of the secrets of the launch options. */
import { describe, expect, it } from 'vitest';
import { configFor, toInherited, withheldVariables } from '../../../config/inherited.ts';
import { loadConfig } from '../../../config/load.ts';

const env = {
  SVC_MASTER_KEY: 'the-master-key-of-now',
  SVC_MASTER_KEY_PREVIOUS: 'the-master-key-of-before',
  SVC_EXPERIMENTAL_PERSONALIZATION_API_KEY: 'key-of-personalization',
  SVC_TASK_WEBHOOK_URL: 'https://example.org',
  SVC_TASK_WEBHOOK_AUTHORIZATION_HEADER: 'header-of-the-webhook',
  SVC_TASK_WEBHOOK_SIGNING_SECRET: 'signing-secret-of-the-webhook',
  OPENAI_API_KEY: 'key-of-openai',
  PATH: '/bin',
};
const config = loadConfig({ args: [], env, cwd: '/nowhere' });

describe('the configuration of a process', () => {
  it.each([
    ['front', /the-master-key-of-now.*key-of-personalization/s, /of-the-webhook/],
    [
      'indexer',
      /header-of-the-webhook.*signing-secret/s,
      /the-master-key|personalization"?:"?key-/,
    ],
  ] as const)('of the %s holds the secrets that it uses and no others', (reader, has, lacks) => {
    expect(toInherited(config, reader)).toMatch(has);
    expect(toInherited(config, reader)).not.toMatch(lacks);
    expect(configFor(config, reader).openAiApiKey).toBe('key-of-openai');
  });

  it('comes without the variables that hold secrets', () => {
    const hidden = Object.keys(env).filter((name) => /KEY|HEADER|SECRET/.test(name));
    expect(Object.keys(withheldVariables(env)).sort()).toEqual(hidden.sort());
    expect(new Set(Object.values(withheldVariables(env)))).toEqual(new Set([undefined]));
  });
});
