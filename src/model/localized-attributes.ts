/** Languages of an attribute from the settings. */
import { patternCovers } from './attribute-pattern.ts';
import type { Settings } from './settings.ts';

/** ISO 639-3 codes of the first rule that covers the path; null without a rule. */
export function localesOfPath(
  { localizedAttributes }: Pick<Settings, 'localizedAttributes'>,
  path: string,
): readonly string[] | null {
  const rule = localizedAttributes?.find(({ attributePatterns }) =>
    attributePatterns.some((pattern) => patternCovers(pattern, path)),
  );
  return rule === undefined || rule.locales.length === 0 ? null : rule.locales;
}
