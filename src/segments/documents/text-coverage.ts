/**
 * Identifies the words of a segment by the settings that determine them, as a short text to
 * compare.
 */
import { createHash } from 'node:crypto';
import { type TextSettings, textSettingsOf } from './text-rules.ts';

/** Length of a digest that distinguishes all settings of an index. */
const DIGEST_LENGTH = 22;

/** Equal texts mean the same words at the same positions in every document. */
export function textCoverage(settings: TextSettings): string {
  const { searchableAttributes, localizedAttributes, substringAttributes, ...lists } =
    textSettingsOf(settings);
  const deciding = {
    fields: sortedSet(covered(searchableAttributes)),
    locales: localizedAttributes ?? [],
    // Left out when empty: the digests of files of earlier releases stay valid.
    ...(substringAttributes.length > 0 && { substrings: sortedSet(substringAttributes) }),
    lists: Object.entries(lists).map(([name, list]) => [name, sortedSet(list)]),
  };
  const digest = createHash('sha256').update(JSON.stringify(deciding)).digest('base64url');
  return digest.slice(0, DIGEST_LENGTH);
}

/** The list without names that other names cover; order affects ranking only. */
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
