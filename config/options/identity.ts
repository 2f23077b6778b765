/** Launch options of tokens of an OpenID provider. */
import { option } from './option.ts';

export const identityOptions = {
  oidcIssuer: option<string | null>({
    doc: 'OpenID provider whose tokens are accepted in addition to API keys: its issuer URL, exactly as in the claim `iss`. Needs a master key, `--oidc-audience` and `--oidc-roles-file`. See docs/openid.md.',
    format: 'httpUrl',
    default: null,
    arg: 'oidc-issuer',
  }),
  oidcAudience: option<string | null>({
    doc: 'Value that the claim `aud` of OpenID tokens must have or contain.',
    format: 'text',
    default: null,
    arg: 'oidc-audience',
  }),
  oidcRolesClaim: option<string>({
    doc: 'Claim of OpenID tokens with the roles, also by a path such as `realm_access.roles`.',
    format: 'text',
    default: 'roles',
    arg: 'oidc-roles-claim',
  }),
  oidcRolesFile: option<string | null>({
    doc: 'JSON file with the actions, indexes and filter of each role.',
    format: 'text',
    default: null,
    arg: 'oidc-roles-file',
  }),
};
