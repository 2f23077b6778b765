/** Finds the delimiter of a CSV file in its header. Pure. */

export const CSV_DELIMITERS: Readonly<Record<string, string>> = {
  ',': 'comma',
  ';': 'semicolon',
  '\t': 'tab',
  '|': 'vertical bar',
};

/** The delimiter that is most frequent in the first line, outside quotes; a comma if there is none. */
export function csvDelimiterOf(text: string): string {
  const [head = ''] = text.replace(/"(?:[^"]|"")*"/g, '').split('\n', 1);
  const counted = Object.keys(CSV_DELIMITERS).map(
    (delimiter) => [head.split(delimiter).length, delimiter] as const,
  );
  return counted.reduce((best, next) => (next[0] > best[0] ? next : best))[1];
}
