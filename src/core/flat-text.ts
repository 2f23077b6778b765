/** Strings without parts. */

/**
 * The same string, stored in one piece. V8 stores a concatenated string as a tree of its parts,
 * which takes three times the memory; reading a character makes it flat.
 */
export function flatText(text: string): string {
  text.charCodeAt(0);
  return text;
}
