/** The greatest ones of many counts. */

/**
 * Places of the `limit` greatest counts above zero, by decreasing count; equal counts by decreasing
 * place.
 */
export function mostFrequent(counts: Uint32Array, limit: number): number[] {
  const { least, ties } = leastWanted(counts, limit);
  const places: number[] = [];
  let tiesLeft = ties;
  for (let i = counts.length - 1; i >= 0; i--) {
    const count = counts[i]!;
    if (count > least || (count === least && count > 0 && tiesLeft-- > 0)) places.push(i);
  }
  return places.sort((a, b) => counts[b]! - counts[a]! || b - a);
}

/** The least of the `limit` greatest counts, and how many of these counts are equal to it. */
function leastWanted(counts: Uint32Array, limit: number): { least: number; ties: number } {
  if (limit >= counts.length) return { least: 0, ties: 0 };
  let max = 0;
  for (let i = 0; i < counts.length; i++) if (counts[i]! > max) max = counts[i]!;
  const having = new Uint32Array(max + 1);
  for (let i = 0; i < counts.length; i++) having[counts[i]!]!++;
  let ties = limit;
  let least = max;
  for (; least > 0 && having[least]! < ties; least--) ties -= having[least]!;
  return { least, ties };
}
