/** Which document fields are searchable text, and in which languages, from the index's settings. */
import { hasSubstrings, isFieldOrBelow } from '../../model/attribute-pattern.ts';
import { VECTORS_FIELD } from '../../model/embedders/embedder-settings.ts';
import { localesOfPath } from '../../model/localized-attributes.ts';
import type { Settings } from '../../model/settings.ts';
import type { FieldRules } from './field-tree.ts';

/** Reserved members; values at or below them are not text. */
const RESERVED_FIELDS = [VECTORS_FIELD, '_geo', '_geojson'] as const;

/** True for a reserved member and the paths below it. */
export const isReserved = (path: string): boolean =>
  RESERVED_FIELDS.some((field) => isFieldOrBelow(path, field));

/** The settings that determine which text is indexed and how it is split; files depend on the order. */
const TEXT_SETTINGS = [
  'searchableAttributes',
  'localizedAttributes',
  'substringAttributes',
  'stopWords',
  'separatorTokens',
  'nonSeparatorTokens',
  'dictionary',
] as const;

export type TextSettings = Pick<Settings, (typeof TEXT_SETTINGS)[number]>;

export const textSettingsOf = (settings: TextSettings): TextSettings =>
  Object.fromEntries(
    TEXT_SETTINGS.map((name) => [name, settings[name]]),
  ) as unknown as TextSettings;

export function textRules(settings: TextSettings): FieldRules {
  const { searchableAttributes } = settings;
  const all = searchableAttributes.includes('*');
  const isIndexed = (path: string): boolean =>
    !isReserved(path) && (all || searchableAttributes.some((field) => isFieldOrBelow(path, field)));
  return {
    isIndexed,
    leadsToIndexed: (path) =>
      isIndexed(path) ||
      (!isReserved(path) && searchableAttributes.some((field) => isFieldOrBelow(field, path))),
    hasChunks: (path) => hasSubstrings(settings, path),
    localesOf: (path) => localesOfPath(settings, path),
  };
}

/** For walks that only count fields. */
export const NO_TEXT: FieldRules = {
  isIndexed: () => false,
  leadsToIndexed: () => false,
  hasChunks: () => false,
  localesOf: () => null,
};
