/**
 * A small, deterministic library of synthetic books that query threads search during the warm-up.
 */
import type { Settings } from '../../src/model/settings.ts';

const DOCUMENT_COUNT = 1500;
const WORD_COUNT = 1800;
const AUTHOR_COUNT = 120;
/** Dimensions of the vectors of books. */
const DIMENSIONS = 64;
/** Spread of the vectors of one genre, in addition to the spread of genres. */
const GENRE_SPREAD = 0.5;

const SYLLABLES =
  'ba ce di for gan hel is jo ka lu mer nor os pe quin ra sol ti um va wen xi yor zé strom tion ing er'.split(
    ' ',
  );
const GENRES = [
  'novel',
  'essay',
  'atlas',
  'comedy',
  'poem',
  'guide',
  'letters',
  'diary',
  'history',
  'play',
];

export interface Book {
  readonly id: number;
  readonly title: string;
  readonly authors: readonly string[];
  readonly text: string;
  readonly genres: readonly string[];
  readonly year: number;
  readonly price: number;
  readonly inPrint: boolean;
  readonly edition?: string;
  readonly _geo?: { readonly lat: number; readonly lng: number };
  readonly _vectors: { readonly [BOOK_EMBEDDER]: readonly number[] };
}

export const BOOK_EMBEDDER = 'book';

export const librarySettings: Partial<Settings> = {
  searchableAttributes: ['title', 'authors', 'text', 'genres'],
  filterableAttributes: ['authors', 'genres', 'year', 'price', 'inPrint', 'edition', '_geo'],
  sortableAttributes: ['year', 'price', 'title', '_geo'],
  synonyms: { tome: ['novel'], novel: ['tome'] },
  embedders: { [BOOK_EMBEDDER]: { source: 'userProvided', dimensions: DIMENSIONS } },
};

/** Deterministic integers below `bound` (a linear congruential generator). */
export function createDice(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

/** Words of two to four syllables. */
function madeWords(dice: (bound: number) => number): string[] {
  const words = new Set<string>();
  while (words.size < WORD_COUNT) {
    words.add(
      Array.from({ length: 2 + dice(3) }, () => SYLLABLES[dice(SYLLABLES.length)]).join(''),
    );
  }
  return [...words];
}

export function madeLibrary(): Book[] {
  const dice = createDice(1);
  const words = madeWords(dice);
  /** A few words are frequent and most are rare, as in natural text. */
  const word = (): string =>
    words[Math.min(dice(WORD_COUNT), dice(WORD_COUNT), dice(WORD_COUNT))] as string;
  const text = (count: number): string => Array.from({ length: count }, word).join(' ');
  const authors = Array.from({ length: AUTHOR_COUNT }, () => text(2));
  const author = (): string => authors[dice(AUTHOR_COUNT)] as string;
  const vectorDice = createDice(3);
  const centres = GENRES.map(() =>
    Array.from({ length: DIMENSIONS }, () => around(0, 1, vectorDice)),
  );
  return Array.from({ length: DOCUMENT_COUNT }, (_, id) => ({
    id,
    title: text(1 + dice(5)),
    authors: Array.from({ length: 1 + dice(3) }, author),
    text: `${text(6 + dice(10))}, ${text(8 + dice(30))}. ${text(4 + dice(12))}`,
    genres: [GENRES[dice(GENRES.length)] as string, GENRES[dice(GENRES.length)] as string],
    year: 1900 + dice(120),
    price: dice(10_000) / 100,
    inPrint: dice(3) > 0,
    ...(dice(2) === 0 ? { edition: `${GENRES[dice(GENRES.length)]}-${dice(40)}` } : {}),
    ...(dice(4) > 0
      ? { _geo: { lat: dice(120_000) / 1000 - 60, lng: dice(360_000) / 1000 - 180 } }
      : {}),
    _vectors: {
      [BOOK_EMBEDDER]: (centres[id % GENRES.length] as number[]).map((centre) =>
        around(centre, GENRE_SPREAD, vectorDice),
      ),
    },
  }));
}

/** A number within `spread` of another, with three digits. */
const around = (centre: number, spread: number, dice: (bound: number) => number): number =>
  Math.round((centre + (dice(2001) / 1000 - 1) * spread) * 1000) / 1000;
