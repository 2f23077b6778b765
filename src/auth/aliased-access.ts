/** Access of a key or tenant token, with the aliases that its rules name. */
import type { AliasTable } from '../model/alias.ts';
import { bothFilters } from '../model/filter/filter-form.ts';
import type { Access } from './access.ts';

const CODE = 'invalid_search_filter';

/**
 * An index is reached by its own name and by its aliases. The filters of all rules that reach it
 * apply.
 */
export function aliasedAccess(access: Access, aliases: AliasTable): Access {
  if (aliases.isEmpty || !access.isRestricted) return access;
  const namesOf = (uid: string) =>
    [uid, ...aliases.namesOf(uid)].filter((name) => access.reaches(name));
  return {
    ...access,
    get taskIndexes() {
      return withTargets(access, aliases);
    },
    reaches: (uid) =>
      access.reaches(uid) || aliases.namesOf(uid).some((name) => access.reaches(name)),
    searchFilter: (uid) => {
      const filters = new Set(namesOf(uid).map((name) => access.searchFilter(name) ?? null));
      filters.delete(null);
      const [first = null, ...others] = filters;
      return others.reduce((all, filter) => bothFilters(all, filter, CODE), first);
    },
  };
}

/** A tenant token, with an empty list, reaches no tasks. */
function withTargets(
  { taskIndexes: indexes, reaches }: Access,
  { list }: AliasTable,
): readonly string[] | null {
  if (indexes === null || indexes.length === 0) return indexes;
  const targets = list.filter(({ name }) => reaches(name)).map(({ indexUid }) => indexUid);
  return [...indexes, ...targets];
}
