/** `gannet token`: signs a tenant token without a request to the server. */
import { createHmac } from 'node:crypto';
import { type Command, jsonOption, textOption, wrongUsage } from '../command.ts';
import { CommandFailure, EXIT } from '../command-failure.ts';

const encoded = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

/** A tenant token (docs/api.md section 2). @param expiresAt seconds since the epoch */
export function tenantToken(
  apiKey: string,
  apiKeyUid: string,
  searchRules: unknown,
  expiresAt: number | null,
): string {
  const payload = { apiKeyUid, searchRules, ...(expiresAt !== null && { exp: expiresAt }) };
  const signed = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded(payload)}`;
  return `${signed}.${createHmac('sha256', apiKey).update(signed).digest('base64url')}`;
}

function expiryOf(text: string | null): number | null {
  if (text === null) return null;
  const at = Date.parse(text);
  if (Number.isNaN(at))
    throw new CommandFailure(
      `--expires-at must be a time such as 2030-01-31, not \`${text}\``,
      EXIT.usage,
    );
  return Math.floor(at / 1000);
}

export const tokenCommand: Command = {
  name: 'token',
  summary: 'Signs a tenant token, which limits searches to the documents of one tenant',
  usage: '--api-key KEY --uid UID --rules JSON',
  arguments: [0, 0],
  asksServer: false,
  options: {
    'api-key KEY': 'API key that signs; needs the action `search`',
    'uid UID': 'uid of the API key',
    'rules JSON': `search rules such as '{"films*":{"filter":"tenant = 7"}}'`,
    'expires-at TIME': 'expiration time (default: never)',
  },
  async run({ options, terminal }) {
    const apiKey = textOption(options, 'api-key');
    const uid = textOption(options, 'uid');
    const rules = jsonOption(options, 'rules');
    if (apiKey === null || uid === null || rules === undefined) throw wrongUsage(tokenCommand);
    const expiresAt = expiryOf(textOption(options, 'expires-at'));
    const token = tenantToken(apiKey, uid, rules, expiresAt);
    terminal.print(token);
    terminal.json({ token });
  },
};
