/** Roles of OpenID tokens: which actions, indexes and filter each grants. */
import { isObject, type Json } from '../core/json.ts';
import { expandActions, KEY_ACTIONS } from '../model/actions.ts';
import { type FilterForm, filterForm } from '../model/filter/filter-form.ts';
import { isIndexUidPattern } from '../model/index-uid-pattern.ts';
import { hasEmptyPart, TOKEN_ACTIONS } from './tenant-token.ts';

export interface OpenidRole {
  readonly name: string;
  readonly actions: readonly string[];
  readonly indexes: readonly string[];
  /** With claims in braces, as in `tenant = {tenant_id}`. */
  readonly filter: FilterForm | null;
  readonly requestsPerSecond?: number;
}

const MEMBERS = ['role', 'actions', 'indexes', 'filter', 'requestsPerSecond'];
const CLAIM = /\{([^{}]+)\}/g;

/** @param value of the file of `--oidc-roles-file`. Throws with a message for the operator. */
export function readRoles(value: unknown): readonly OpenidRole[] {
  if (!Array.isArray(value) || value.length === 0) throw new Error('it is not an array of roles');
  return value.map((each: unknown, i) => {
    try {
      return readRole(isObject(each) ? each : {});
    } catch (cause) {
      throw new Error(`role ${i + 1}: ${(cause as Error).message}`, { cause });
    }
  });
}

const expect = (holds: boolean, expected: string): void => {
  if (!holds) throw new Error(`expected ${expected}`);
};

const isList = (value: unknown, isItem: (item: string) => boolean): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string' && isItem(item));

function readRole(member: Json): OpenidRole {
  const { role: name, actions, indexes, filter = null, requestsPerSecond } = member;
  const unknown = Object.keys(member).find((each) => !MEMBERS.includes(each));
  expect(unknown === undefined, `no member ${JSON.stringify(unknown)}`);
  if (typeof name !== 'string' || name === '') throw new Error('expected a name in `role`');
  if (!isList(actions, (action) => KEY_ACTIONS.includes(action)))
    throw new Error('expected a list of actions of API keys in `actions`');
  if (!isList(indexes, isIndexUidPattern))
    throw new Error('expected a list of index names and patterns in `indexes`');
  const isRate = Number.isSafeInteger(requestsPerSecond) && (requestsPerSecond as number) > 0;
  expect(requestsPerSecond === undefined || isRate, 'a whole number in `requestsPerSecond`');
  return {
    name,
    actions,
    indexes,
    filter: filter === null ? null : readFilter(filter, actions),
    ...(isRate && { requestsPerSecond: requestsPerSecond as number }),
  };
}

/** A filter applies to searches only, so a role with other actions would read past it. */
function readFilter(value: unknown, actions: readonly string[]): FilterForm {
  expect(!hasEmptyPart(value), 'a filter that is not empty');
  const form = filterForm(value, 'invalid_search_filter') as FilterForm;
  const others = [...expandActions(actions, false)].filter((action) => !TOKEN_ACTIONS.has(action));
  expect(others.length === 0, `no action \`${others[0]}\` in a role with a filter`);
  const isMixed = [form].flat(2).some((text) => text.search(CLAIM) >= 0 && /['"]/.test(text));
  expect(!isMixed, 'no quotes in an expression with a claim: the server quotes the claim');
  return form;
}

/**
 * The filter with the values of claims as quoted strings; a list of values as `[…]` for `IN`. Throws
 * with the name of a claim that is missing or has another type.
 */
export function filterOf({ filter }: OpenidRole, claims: Json): FilterForm | null {
  if (filter === null) return null;
  const fill = (text: string): string =>
    text.replace(CLAIM, (_, name: string) => literalOf(claimAt(claims, name), name));
  if (typeof filter === 'string') return fill(filter);
  return filter.map((part) => (typeof part === 'string' ? fill(part) : part.map(fill)));
}

function literalOf(value: unknown, name: string): string {
  if (Array.isArray(value)) return `[${value.map((item) => literalOf(item, name)).join(', ')}]`;
  if (typeof value === 'string' || Number.isFinite(value)) return JSON.stringify(String(value));
  throw new Error(`its claim \`${name}\` must be a string, a number or a list of them`);
}

/** A claim by its name, or by a path with dots, as in `realm_access.roles`. */
export function claimAt(claims: Json, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split('.'))
    value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

export function roleOf(roles: readonly OpenidRole[], claim: unknown): OpenidRole | undefined {
  const named: readonly unknown[] =
    typeof claim === 'string' ? [claim, ...claim.split(' ')] : Array.isArray(claim) ? claim : [];
  return roles.find(({ name }) => named.includes(name));
}
