/**
 * Tenant tokens: JSON web tokens signed with a key's value, which grant a part of the key's search
 * rights (api.md 2.7).
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import { ApiError } from '../core/errors.ts';
import { isObject, parseJson } from '../core/json.ts';
import { parseUuid } from '../core/uuid.ts';
import type { Action } from '../model/actions.ts';
import { closestPattern, isIndexUidPattern } from '../model/index-uid-pattern.ts';

/** `alg` in the token's header → name of the hash. */
const HASHES: ReadonlyMap<unknown, string> = new Map([
  ['HS256', 'sha256'],
  ['HS384', 'sha384'],
  ['HS512', 'sha512'],
]);
const TOKEN = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;

/** Actions that search, the only ones that obey a filter. */
export const TOKEN_ACTIONS: ReadonlySet<Action> = new Set<Action>(['search', 'chatCompletions']);

/** Index uid or pattern → filter in JSON form, null for none. */
type SearchRules = ReadonlyMap<string, unknown>;

export interface TenantToken {
  /** Uid of the key whose value must have signed the token. */
  readonly apiKeyUid: string;
  readonly rules: SearchRules;
  /** Epoch seconds; null = only the key's own expiry. */
  readonly expiresAtS: number | null;
  readonly isSignedBy: (keyValue: string) => boolean;
}

const refuse = (reason: string): never => {
  throw new ApiError('invalid_api_key', `The tenant token is not valid: ${reason}.`);
};

/** True if the text has the form of a token, which selects the error messages. */
export const looksLikeTenantToken = (text: string): boolean => TOKEN.test(text);

/** The rule for an index, or undefined if the token does not include it. */
export function ruleFor(
  rules: SearchRules,
  indexUid: string,
): { readonly filter: unknown } | undefined {
  const pattern = closestPattern(rules, indexUid);
  return pattern === undefined ? undefined : { filter: rules.get(pattern) ?? null };
}

/**
 * Parses a token; nothing is trusted before `isSignedBy`. Throws `invalid_api_key`. @param
 * allowsLooseRules ignores unknown members of rules and rules of patterns that no index can have,
 * and treats an empty filter as none
 */
export function readTenantToken(text: string, allowsLooseRules: boolean): TenantToken {
  const [, head = '', body = '', signature = ''] =
    TOKEN.exec(text) ?? refuse('it has not three parts in base64url');
  const { alg } = readPart(head, 'head');
  const hash =
    HASHES.get(alg) ?? refuse(`its algorithm must be one of ${[...HASHES.keys()].join(', ')}`);
  const { apiKeyUid, searchRules, exp, aud } = readPart(body, 'body');
  const uid =
    (typeof apiKeyUid === 'string' ? parseUuid(apiKeyUid) : null) ??
    refuse('its claim `apiKeyUid` must be the uid of the API key that signed it');
  if (aud !== undefined) refuse('it has the claim `aud`, so it is meant for another service');
  return {
    apiKeyUid: uid,
    rules: readRules(searchRules, allowsLooseRules),
    expiresAtS: readExpiry(exp),
    isSignedBy: (keyValue) => {
      const expected = createHmac(hash, keyValue).update(`${head}.${body}`).digest();
      const given = Buffer.from(signature, 'base64url');
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}

function readPart(encoded: string, name: string): Record<string, unknown> {
  const value = parseJson(Buffer.from(encoded, 'base64url'));
  return isObject(value) ? value : refuse(`its ${name} is no JSON object`);
}

function readExpiry(exp: unknown): number | null {
  if (exp === undefined || exp === null) return null;
  return Number.isSafeInteger(exp)
    ? (exp as number)
    : refuse('its claim `exp` must be a whole number of seconds');
}

const RULES_EXPECTED =
  'its claim `searchRules` must be an array of index uids and patterns, or an object from these to null or `{"filter": …}`';

type Rule = Readonly<Record<string, unknown>>;

function readRules(claim: unknown, isLoose: boolean): SearchRules {
  const filterOf = isLoose ? looseFilter : strictFilter;
  const entries = Array.isArray(claim)
    ? claim.map((pattern: unknown) => [pattern, null] as const)
    : Object.entries(isObject(claim) ? claim : refuse(RULES_EXPECTED));
  const readRule = (rule: unknown): unknown =>
    rule === null ? null : filterOf(isObject(rule) ? rule : refuse(RULES_EXPECTED));
  const rules = new Map<string, unknown>();
  for (const [pattern, rule] of entries) {
    const filter = readRule(rule);
    if (typeof pattern !== 'string') return refuse(RULES_EXPECTED);
    if (isIndexUidPattern(pattern)) rules.set(pattern, filter);
    else if (!isLoose) return refuse(RULES_EXPECTED);
  }
  return rules;
}

const looseFilter = ({ filter }: Rule): unknown => filter ?? null;

/** A misspelt member or an empty variable must not open the entire index. */
function strictFilter(rule: Rule): unknown {
  const unknown = Object.keys(rule).find((member) => member !== 'filter');
  if (unknown !== undefined)
    return refuse(
      `a rule of its claim \`searchRules\` has the unknown member ${JSON.stringify(unknown.slice(0, 80))}, expected \`filter\` alone`,
    );
  const { filter } = rule;
  if (filter === undefined) return null;
  return hasEmptyPart(filter)
    ? refuse(
        'a `filter` of its claim `searchRules` is empty, or a part of it; null stands for no filter',
      )
    : filter;
}

/** Searches ignore empty expressions, so the rule would restrict less than it seems to. */
export const hasEmptyPart = (filter: unknown): boolean =>
  filter === null ||
  (typeof filter === 'string' && filter.trim() === '') ||
  (Array.isArray(filter) && (filter.length === 0 || filter.some(hasEmptyPart)));
