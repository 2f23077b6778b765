/** Finds the known name closest to a mistyped name. */

/** Levenshtein distance of two short strings; O(a·b). */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(
        Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, substitution),
      );
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/** Letters of a short name that may differ. */
const LETTERS_MAX = 3;

/**
 * null if no name is close: if more than three letters and more than a third of them would have to
 * change, or half of a short name.
 */
export function nearest(name: string, known: readonly string[]): string | null {
  const shortened = name.slice(0, 100);
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(shortened, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  if (best === undefined) return null;
  const lettersMax = Math.min(LETTERS_MAX, Math.floor(best.candidate.length / 2));
  return best.distance <= Math.max(lettersMax, Math.floor(name.length / 3)) ? best.candidate : null;
}

/** Suffix of a message about an unknown name; empty if no name is close. */
export const didYouMean = (
  name: string,
  known: Iterable<string>,
  shown = (found: string) => found,
): string => {
  const found = nearest(name, [...known]);
  return found === null ? '' : `; did you mean \`${shown(found)}\`?`;
};
