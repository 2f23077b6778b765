/** Which words a segment holds, by the settings that decide it, as a short text to compare. */
import { createHash } from 'node:crypto';
import { type TextSettings, textSettingsOf } from './text-rules.ts';

/** Bytes of a digest that tell all settings of an index apart. */
const DIGEST_LENGTH = 22;

/**
 * The same text for settings that cut the same words out of every document, at the same positions.
 */
export function textCoverage(settings: TextSettings): string {
  const { searchableAttributes, localizedAttributes, ...lists } = textSettingsOf(settings);
  const deciding = {
    fields: sortedSet(covered(searchableAttributes)),
    locales: localizedAttributes ?? [],
    lists: Object.entries(lists).map(([name, list]) => [name, sortedSet(list)]),
  };
  const digest = createHash('sha256').update(JSON.stringify(deciding)).digest('base64url');
  return digest.slice(0, DIGEST_LENGTH);
}

/** The list without the names that others of it cover; their order is a matter of ranking only. */
function covered(searchable: readonly string[]): readonly string[] {
  if (searchable.includes('*')) return ['*'];
  const names = new Set(searchable);
  return searchable.filter((name) => !parents(name).some((parent) => names.has(parent)));
}

function parents(name: string): string[] {
  const found: string[] = [];
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1))
    found.push(name.slice(0, dot));
  return found;
}

const sortedSet = (list: readonly string[]): string[] => [...new Set(list)].sort();
