/**
 * One phrase about each member of bodies, answers and query strings. The tables have keys of
 * four kinds, the most specific first: `family:parent.name`, `parent.name`, `family:name`, `name`;
 * the family is the one of the route.
 */
import { FEATURE_GATES } from '../../model/features.ts';
import { ANALYTICS_MEANINGS } from './analytics-meanings.ts';
import { DATA_MEANINGS } from './data-meanings.ts';
import { INSTANCE_MEANINGS } from './instance-meanings.ts';
import { SEARCH_MEANINGS, SEARCH_PARAMETERS } from './search-meanings.ts';
import { SETTING_MEANINGS } from './setting-meanings.ts';

/** In an address, members of `hybrid` and `personalize` have names of their own. */
const IN_ADDRESS = {
  hybridEmbedder: 'embedder',
  hybridSemanticRatio: 'semanticRatio',
  hybridSemanticThreshold: 'semanticThreshold',
  personalizeUserContext: 'userContext',
};

/** Families whose requests are searches: there, names of parameters mean these. */
const SEARCHES: readonly string[] = ['search', 'multiSearch'];

const MEANINGS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(SEARCH_PARAMETERS),
  ...Object.entries(IN_ADDRESS).map(
    ([name, member]) => [name, SEARCH_PARAMETERS[member] ?? ''] as const,
  ),
  ...Object.entries(FEATURE_GATES).map(
    ([name, gate]) => [`features:${name}`, `Opens ${gate}`] as const,
  ),
  ...Object.entries(ANALYTICS_MEANINGS),
  ...Object.entries(DATA_MEANINGS),
  ...Object.entries(INSTANCE_MEANINGS),
  ...Object.entries(SETTING_MEANINGS),
  ...Object.entries(SEARCH_MEANINGS),
  ...Object.entries(SEARCH_PARAMETERS).flatMap(([name, means]) =>
    SEARCHES.map((family) => [`${family}:${name}`, means] as const),
  ),
]);

export interface MemberPlace {
  /** First part of the route's id, or `settings`. */
  readonly family: string;
  /** Name of the member whose value has this one; null at the top. */
  readonly parent: string | null;
}

/** The place of members of a member's value: settings mean the same in every body. */
export const placeBelow = (name: string, { family }: MemberPlace): MemberPlace => ({
  family: name === 'settings' ? 'settings' : family,
  parent: name,
});

export const meaningKeys = (): readonly string[] => [...MEANINGS.keys()];

/** The key of the tables that holds the meaning of a member; null = none does. */
export function meaningKeyOf(name: string, { family, parent }: MemberPlace): string | null {
  const nested = parent === null ? [] : [`${family}:${parent}.${name}`, `${parent}.${name}`];
  const keys = [...nested, `${family}:${name}`, name];
  return keys.find((key) => MEANINGS.has(key)) ?? null;
}

/** undefined = the tables have none. */
export const meaningOf = (name: string, place: MemberPlace): string | undefined =>
  MEANINGS.get(meaningKeyOf(name, place) ?? '');
