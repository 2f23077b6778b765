/** A count with its noun in singular or plural, for messages. */

/** @param plural by default the noun with an `s` */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`;
