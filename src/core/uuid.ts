/** Parses UUIDs into the form in which they are stored. */

const HYPHENATED = '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}';

/** A UUID with all hyphens, or none, or as `{…}` or `urn:uuid:…` with hyphens, as a regular expression. */
export const UUID_PATTERN = `^(?:[0-9A-Fa-f]{32}|${HYPHENATED}|\\{${HYPHENATED}\\}|urn:uuid:${HYPHENATED})$`;
const UUID = new RegExp(UUID_PATTERN);

/** Lower case with hyphens; null if the text is not a UUID. */
export function parseUuid(text: string): string | null {
  if (!UUID.test(text)) return null;
  const digits = text.replace(/^urn:uuid:|[-{}]/g, '').toLowerCase();
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
