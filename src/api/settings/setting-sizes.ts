/**
 * Maximum sizes of settings (docs/settings.md): generous, and small enough that searches, batches
 * and starts stay fast.
 */
import type { ErrorCode } from '../../core/error-codes.ts';
import { ApiError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { snakeCase } from '../../core/snake-case.ts';
import type { SettingName, SettingsBody } from '../../model/schemas/settings-schema.ts';

interface Texts {
  /** Name of the setting, or of one of its members. */
  readonly name: string;
  readonly code: ErrorCode;
}

function refuse({ name, code }: Texts, what: string, max: number, found: number): never {
  throw new ApiError(code, `\`${name}\` has ${found} ${what}, the limit is ${max}.`);
}

function checkTexts(texts: readonly string[], about: Texts, what: string, max: number): void {
  if (texts.length > max) refuse(about, what, max, texts.length);
  const { settingTextLengthMax: lengthMax } = limits;
  const long = texts.find((text) => text.length > lengthMax);
  if (long !== undefined) refuse(about, 'characters in one entry', lengthMax, long.length);
}

function checkAttributes(names: readonly string[], about: Texts): void {
  checkTexts(names, about, 'entries', limits.settingAttributesMax);
  const patterns = names.filter((name) => name.includes('*')).length;
  if (patterns > limits.settingPatternsMax)
    refuse(about, 'patterns with `*`', limits.settingPatternsMax, patterns);
}

function checkSynonyms(synonyms: Readonly<Record<string, readonly string[]>>, about: Texts): void {
  checkTexts(Object.keys(synonyms), about, 'keys', limits.synonymKeysMax);
  const values = Object.values(synonyms).flat();
  checkTexts(values, about, 'values', limits.synonymValuesMax);
}

type Check<K extends SettingName> = (value: NonNullable<SettingsBody[K]>, about: Texts) => void;

const words = (texts: readonly string[], about: Texts): void =>
  checkTexts(texts, about, 'entries', limits.settingWordsMax);
const separators = (texts: readonly string[], about: Texts): void =>
  checkTexts(texts, about, 'entries', limits.settingSeparatorsMax);

const checks: { readonly [K in SettingName]?: Check<K> } = {
  displayedAttributes: checkAttributes,
  searchableAttributes: checkAttributes,
  filterableAttributes: (items, about) =>
    checkAttributes(
      items.flatMap((item) => (typeof item === 'string' ? [item] : item.attributePatterns)),
      about,
    ),
  sortableAttributes: checkAttributes,
  rankingRules: checkAttributes,
  substringAttributes: checkAttributes,
  localizedAttributes: (items, about) =>
    checkAttributes(
      items.flatMap(({ attributePatterns }) => attributePatterns),
      about,
    ),
  distinctAttribute: (name, about) => checkAttributes([name], about),
  faceting: ({ sortFacetValuesBy }, { code }) =>
    checkAttributes(Object.keys(sortFacetValuesBy ?? {}), {
      name: 'faceting.sortFacetValuesBy',
      code,
    }),
  typoTolerance: ({ disableOnWords, disableOnAttributes }, { code }) => {
    words(disableOnWords ?? [], { name: 'typoTolerance.disableOnWords', code });
    checkAttributes(disableOnAttributes ?? [], { name: 'typoTolerance.disableOnAttributes', code });
  },
  stopWords: words,
  dictionary: words,
  separatorTokens: separators,
  nonSeparatorTokens: separators,
  synonyms: checkSynonyms,
};

/** @throws ApiError with the setting's code and the limit */
export function checkSettingSize(name: SettingName, value: unknown): void {
  const check = checks[name] as Check<SettingName> | undefined;
  check?.(value as never, { name, code: codeOf(name) });
}

/** `stopWords` → `invalid_settings_stop_words`. */
const codeOf = (name: SettingName): ErrorCode => `invalid_settings_${snakeCase(name)}` as ErrorCode;
