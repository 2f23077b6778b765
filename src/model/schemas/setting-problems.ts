/** Rules for values of settings that a schema alone cannot express; null = the value is valid. */
import { INFLECTED_LANGUAGES, normalizeLocale, supportedLocales } from '../locales.ts';
import { BUILT_IN_RANKING_RULES } from '../settings.ts';
import { isReservedField } from '../sort-criterion.ts';

const CUSTOM_RULE = /^[\s\S]+:(asc|desc)$/;

export function rankingRulesProblem(rules: readonly string[]): string | null {
  const builtIn: readonly string[] = BUILT_IN_RANKING_RULES;
  for (const rule of rules) {
    if (isReservedField(rule.replace(/:(asc|desc)$/, '')))
      return `\`${rule}\` is reserved for sorting and cannot be a ranking rule.`;
    if (!builtIn.includes(rule) && !CUSTOM_RULE.test(rule))
      return `\`${rule}\` is not a ranking rule; the rules are ${builtIn.join(', ')}, and \`<attribute>:asc\` or \`<attribute>:desc\`.`;
  }
  return null;
}

interface TypoSizes {
  readonly oneTypo?: number | null;
  readonly twoTypos?: number | null;
}

export const typoSizesProblem = ({ oneTypo, twoTypos }: TypoSizes): string | null =>
  typeof oneTypo === 'number' && typeof twoTypos === 'number' && oneTypo > twoTypos
    ? `\`minWordSizeForTypos\` needs \`oneTypo\` (${oneTypo}) to be at most \`twoTypos\` (${twoTypos}).`
    : null;

export function localesProblem(codes: readonly string[]): string | null {
  const unknown = codes.find((code) => !normalizeLocale(code));
  return unknown === undefined
    ? null
    : `\`locales\` names \`${unknown}\`; it takes: ${supportedLocales().join(', ')}.`;
}

export function inflectionsProblem(codes: readonly string[]): string | null {
  const unknown = codes.find((code) => !INFLECTED_LANGUAGES.includes(normalizeLocale(code) ?? ''));
  return unknown === undefined
    ? null
    : `\`inflections\` names \`${unknown}\`; it takes: ${INFLECTED_LANGUAGES.join(', ')}, or their codes of two letters.`;
}
