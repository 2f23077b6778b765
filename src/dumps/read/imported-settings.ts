/**
 * Converts the settings of a dump: each member is checked like that of a request, and old values get
 * their new form. A member that is refused keeps its default, and a warning names it.
 */

import { checkSetting } from '../../api/settings/settings-rules.ts';
import { ApiError } from '../../core/errors.ts';
import { isObject, objectOf } from '../../core/json.ts';
import { validate } from '../../http/validator.ts';
import { applySettings } from '../../model/apply-settings.ts';
import type { EmbedderUpdate } from '../../model/embedders/embedder-check.ts';
import type { Features } from '../../model/features.ts';
import { type SettingName, settingSchemas } from '../../model/schemas/settings-schema.ts';
import { DEFAULT_SETTINGS, type Settings, withNewName } from '../../model/settings.ts';

export interface ImportedSettings {
  readonly settings: Settings;
  /** A line for each member that is not as it was. */
  readonly warnings: readonly string[];
}

/** @param given of the dump; members that are absent or null have their defaults */
export function importedSettings(
  given: Readonly<Record<string, unknown>>,
  features: Features,
): ImportedSettings {
  const warnings: string[] = [];
  let settings = DEFAULT_SETTINGS;
  const take = (what: string, name: SettingName, value: unknown): void => {
    try {
      validate(settingSchemas[name], value);
      checkSetting(name, value, { ...features, chatCompletions: true });
      settings = applySettings(settings, { [name]: value });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      warnings.push(`${what} is left out: ${error.message}`);
    }
  };
  const { embedders, ...others } = withFacetsRenamed(given);
  for (const [name, value] of Object.entries(others)) {
    if (value === null || isEmpty(value)) continue;
    const what = `the setting \`${name}\``;
    if (!Object.hasOwn(settingSchemas, name)) warnings.push(`${what} is unknown here`);
    else take(what, name as SettingName, inNewForm(name, value, warnings));
  }
  for (const [name, embedder] of Object.entries(objectOf(embedders))) {
    if (!isObject(embedder)) continue;
    // A local model of a dump without a pooling is from a release that had only this one.
    const whole = isLocal(embedder) ? { pooling: 'forceMean', ...embedder } : embedder;
    take(`the embedder \`${name}\``, 'embedders', { [name]: whole });
  }
  return { settings, warnings };
}

const isLocal = ({ source }: EmbedderUpdate): boolean => source === 'huggingFace';

/** An empty object sets nothing, also for an unknown member. */
const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;

/** Facets of 0.20 were attributes for filters, and custom ranking rules sorted by any attribute. */
function withFacetsRenamed({
  attributesForFaceting: facets,
  ...others
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return facets === undefined
    ? others
    : { filterableAttributes: facets, sortableAttributes: facets, ...others };
}

function inNewForm(name: string, value: unknown, warnings: string[]): unknown {
  if (name === 'rankingRules' && Array.isArray(value)) return rulesInNewForm(value, warnings);
  return withNewName(name, value);
}

/** `asc(price)` of releases before 0.22 is `price:asc`. */
function rulesInNewForm(rules: readonly unknown[], warnings: string[]): unknown[] {
  const isGone = (rule: unknown) => rule === 'wordsPosition';
  if (rules.some(isGone))
    warnings.push('the ranking rule `wordsPosition` is left out: `attribute` ranks by it');
  return rules
    .filter((rule) => !isGone(rule))
    .map((rule) =>
      typeof rule === 'string' ? rule.replace(/^(asc|desc)\((.*)\)$/s, '$2:$1') : rule,
    );
}
