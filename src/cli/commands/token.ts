/** `gannet token`: signs a tenant token, without asking the server. */
import { createHmac } from 'node:crypto';
import { type Command, jsonOption, textOption } from '../command.ts';
import { CommandFailure, EXIT } from '../command-failure.ts';

const encoded = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token as docs/api.md section 2 defines it. @param expiresAt seconds since the epoch */
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
      `--expires-at takes a time such as 2030-01-31, not \`${text}\``,
      EXIT.usage,
    );
  return Math.floor(at / 1000);
}

export const tokenCommand: Command = {
  name: 'token',
  summary: 'Signs a tenant token by which somebody searches what is theirs only',
  usage: '--api-key KEY --uid UID --rules JSON',
  arguments: [0, 0],
  asksServer: false,
  options: {
    'api-key': { value: 'KEY', doc: 'API key with the action `search` that signs' },
    uid: { value: 'UID', doc: 'its uid' },
    rules: { value: 'JSON', doc: `such as '{"films*":{"filter":"tenant = 7"}}'` },
    'expires-at': { value: 'TIME', doc: 'until when (default: for ever)' },
  },
  async run({ options, terminal }) {
    const apiKey = textOption(options, 'api-key');
    const uid = textOption(options, 'uid');
    const rules = jsonOption(options, 'rules');
    if (apiKey === null || uid === null || rules === undefined)
      throw new CommandFailure(`usage: gannet token ${tokenCommand.usage}`, EXIT.usage);
    const expiresAt = expiryOf(textOption(options, 'expires-at'));
    const token = tenantToken(apiKey, uid, rules, expiresAt);
    terminal.print(token);
    terminal.json({ token });
    return EXIT.done;
  },
};
