/**
 * What each member of a body, an answer or an address means, in one phrase. The tables have keys of
 * four kinds, the most specific first: `family:parent.name`, `parent.name`, `family:name`, `name`;
 * the family is the one of the route.
 */
import { FEATURE_GATES } from '../../model/features.ts';
import { ANALYTICS_MEANINGS } from './analytics-meanings.ts';
import { BY_MEANING } from './by-meaning.ts';
import { DATA_MEANINGS } from './data-meanings.ts';
import { INSTANCE_MEANINGS } from './instance-meanings.ts';
import { SEARCH_MEANINGS } from './search-meanings.ts';
import type { SearchParameter } from './search-parameter.ts';
import { SETTING_MEANINGS } from './setting-meanings.ts';
import { WHAT_HITS_SHOW } from './what-hits-show.ts';
import { WHICH_DOCUMENTS } from './which-documents.ts';

/** By group of the page about search parameters. */
export const SEARCH_PARAMETERS: Readonly<
  Record<string, Readonly<Record<string, SearchParameter>>>
> = {
  'Which documents': WHICH_DOCUMENTS,
  'What hits show': WHAT_HITS_SHOW,
  'By meaning': BY_MEANING,
};

const sentence = (means: string): string => means.replace(/\.$/, '');

const ofParameters = Object.values(SEARCH_PARAMETERS).flatMap((group) =>
  Object.entries(group).map(([name, { means }]) => [name, sentence(means)] as const),
);
/** In an address, members of `hybrid` and `personalize` have names of their own. */
const IN_ADDRESS = {
  hybridEmbedder: BY_MEANING['embedder']?.means,
  hybridSemanticRatio: BY_MEANING['semanticRatio']?.means,
  hybridSemanticThreshold: BY_MEANING['semanticThreshold']?.means,
  personalizeUserContext: BY_MEANING['userContext']?.means,
};

/** Families whose requests are searches: there, names of parameters mean these. */
const SEARCHES: readonly string[] = ['search', 'multiSearch'];

const MEANINGS: ReadonlyMap<string, string> = new Map([
  ...ofParameters,
  ...Object.entries(IN_ADDRESS).map(([name, means]) => [name, sentence(means ?? '')] as const),
  ...Object.entries(FEATURE_GATES).map(
    ([name, gate]) => [`features:${name}`, `Opens ${gate}`] as const,
  ),
  ...Object.entries(ANALYTICS_MEANINGS),
  ...Object.entries(DATA_MEANINGS),
  ...Object.entries(INSTANCE_MEANINGS),
  ...Object.entries(SETTING_MEANINGS),
  ...Object.entries(SEARCH_MEANINGS),
  ...ofParameters.flatMap(([name, means]) =>
    SEARCHES.map((family) => [`${family}:${name}`, means] as const),
  ),
]);

/** Where a member stands. */
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

/** All keys of the tables. */
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
