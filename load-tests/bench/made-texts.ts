/** Repeatable numbers, words and texts, where no corpus is needed. */

const WORD_COUNT = 20_000;

/** A repeatable number below `end`. */
export function drawn(i: number, end: number): number {
  let mixed = Math.imul(i ^ (i >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return ((mixed ^ (mixed >>> 16)) >>> 0) % end;
}

export const letter = (i: number): string => String.fromCharCode(65 + drawn(i, 26));

/** Three to nine letters each. */
const WORDS = Array.from({ length: WORD_COUNT }, (_, i) =>
  Array.from({ length: 3 + drawn(i, 7) }, (_unused, at) => letter(31 * i + at).toLowerCase()).join(
    '',
  ),
);

/** One of 20,000; some are much more frequent than others. */
const wordOf = (i: number): string =>
  WORDS[Math.floor((drawn(i, 1_000_000) / 1_000_000) ** 3 * WORD_COUNT)] ?? '';

/** The text of this number, always the same. */
export const madeText = (id: number, words: number): string =>
  Array.from({ length: words }, (_, at) => wordOf(words * id + at)).join(' ');
