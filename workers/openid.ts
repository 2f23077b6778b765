/** Creates the check of OpenID tokens, as the launch options say. */
import { readFileSync } from 'node:fs';
import type { Config } from '../config/load.ts';
import { type OpenidRole, readRoles } from '../src/auth/openid-roles.ts';
import { OpenidTokens } from '../src/auth/openid-tokens.ts';
import { ProviderKeys } from '../src/auth/provider-keys.ts';
import type { OutgoingHttp } from '../src/http-client/outgoing-http.ts';
import type { ProcessLogger } from '../src/observability/logger.ts';
import { StartFailure } from '../src/runtime/start-failure.ts';

/** null without a provider. Begins to fetch its keys. Throws `StartFailure` for an invalid file. */
export function createOpenid(
  { oidcIssuer: issuer, oidcAudience: audience, oidcRolesClaim, oidcRolesFile }: Config,
  { send }: OutgoingHttp,
  log: ProcessLogger,
): OpenidTokens | null {
  if (issuer === null || audience === null || oidcRolesFile === null) return null;
  const roles = rolesOf(oidcRolesFile);
  const keys = new ProviderKeys({
    issuer,
    send,
    monotonic: () => performance.now(),
    onFailure: (err) => log.warn({ err }, 'the keys of the OpenID provider could not be fetched'),
  });
  keys.current();
  return new OpenidTokens({
    issuer,
    audience,
    rolesClaim: oidcRolesClaim,
    roles,
    keys,
    now: () => Date.now(),
  });
}

function rolesOf(path: string): readonly OpenidRole[] {
  try {
    return readRoles(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new StartFailure(`option \`--oidc-roles-file\`: ${(cause as Error).message}`, { cause });
  }
}
