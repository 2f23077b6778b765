/** What of an index a change of settings touches. */
import type { Settings } from '../model/settings.ts';

/** `reindex-text`: words and positions of stored documents are cut anew. */
export type SettingsEffect = 'nothing' | 'reindex-text';

const TEXT_LISTS = ['stopWords', 'separatorTokens', 'nonSeparatorTokens', 'dictionary'] as const;

export function settingsEffect(before: Settings, after: Settings): SettingsEffect {
  const listsDiffer = TEXT_LISTS.some((name) => !sameSet(before[name], after[name]));
  const localesDiffer =
    JSON.stringify(before.localizedAttributes ?? []) !== JSON.stringify(after.localizedAttributes ?? []);
  const fieldsDiffer = !sameSet(covered(before.searchableAttributes), covered(after.searchableAttributes));
  return listsDiffer || localesDiffer || fieldsDiffer ? 'reindex-text' : 'nothing';
}

/** The list without the names that others of it cover; their order is a matter of ranking only. */
function covered(searchable: readonly string[]): readonly string[] {
  if (searchable.includes('*')) return ['*'];
  const names = new Set(searchable);
  return searchable.filter((name) => !parents(name).some((parent) => names.has(parent)));
}

function parents(name: string): string[] {
  const found: string[] = [];
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) found.push(name.slice(0, dot));
  return found;
}

function sameSet(left: readonly string[], right: readonly string[]): boolean {
  const leftSet = new Set(left);
  const rightSet = new Set(right);
  return leftSet.size === rightSet.size && [...leftSet].every((item) => rightSet.has(item));
}
