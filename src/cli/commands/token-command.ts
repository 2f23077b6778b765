/** `gannet token`: signs a tenant token without a request to the server. */
import { signTenantToken } from '../../model/sign-tenant-token.ts';
import { type Command, jsonOption, textOption, wrongUsage } from '../command.ts';
import { CommandFailure, EXIT } from '../command-failure.ts';

/** Seconds since the epoch. */
function expiryOf(text: string): number {
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
    const searchRules = jsonOption(options, 'rules');
    if (apiKey === null || uid === null || searchRules === undefined)
      throw wrongUsage(tokenCommand);
    const expiresAt = textOption(options, 'expires-at');
    const exp = expiresAt === null ? {} : { exp: expiryOf(expiresAt) };
    const token = await signTenantToken({ apiKey, apiKeyUid: uid, searchRules, ...exp });
    terminal.print(token);
    terminal.json({ token });
  },
};
