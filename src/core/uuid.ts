/** Parses UUIDs into the form in which they are stored. */

/** A UUID with or without hyphens, as a regular expression. */
export const UUID_PATTERN =
  '^([0-9A-Fa-f]{8})-?([0-9A-Fa-f]{4})-?([0-9A-Fa-f]{4})-?([0-9A-Fa-f]{4})-?([0-9A-Fa-f]{12})$';
const UUID = new RegExp(UUID_PATTERN);

/** Lower case with hyphens; null if the text is not a UUID. */
export function parseUuid(text: string): string | null {
  const groups = UUID.exec(text);
  return groups === null ? null : groups.slice(1).join('-').toLowerCase();
}
