/**
 * Searches of the synthetic library in common forms: typing, typos, phrases, filters, facets,
 * sorts, formatting, vectors.
 */
import type { WarmUpRequest } from '../../src/runtime/built-indexes.ts';
import { BOOK_EMBEDDER, type Book, createDice } from './made-library.ts';

const REQUESTS_OF_EACH_FORM = 4;

type Dice = (bound: number) => number;
/** Body of a search that matches this book. */
type Form = (book: Book, dice: Dice) => object;

/** Vector near that of a book. */
const nearBook = ({ _vectors }: Book, semanticRatio: number): object => ({
  vector: _vectors[BOOK_EMBEDDER],
  hybrid: { embedder: BOOK_EMBEDDER, semanticRatio },
});

const wordsOf = (text: string): string[] =>
  text.split(/[^\p{L}]+/u).filter((word) => word.length > 0);
const someWords = (text: string, dice: Dice, count: number): string => {
  const words = wordsOf(text);
  const from = dice(Math.max(1, words.length - count));
  return words.slice(from, from + count).join(' ');
};
const withoutLetter = (word: string, dice: Dice): string => {
  const at = 1 + dice(Math.max(1, word.length - 2));
  return word.slice(0, at) + word.slice(at + 1);
};
const withOtherLetter = (word: string, dice: Dice): string => {
  const at = dice(word.length);
  return `${word.slice(0, at)}e${word.slice(at + 1)}`;
};
const mistyped = (text: string, dice: Dice): string =>
  wordsOf(text)
    .map((word) => (dice(2) === 0 ? withoutLetter(word, dice) : withOtherLetter(word, dice)))
    .join(' ');
const begun = (text: string, dice: Dice): string => text.slice(0, 1 + dice(text.length));

const FORMS: Readonly<Record<string, Form>> = {
  typing: ({ title }, dice) => ({ q: begun(title, dice) }),
  typingAuthor: ({ authors }, dice) => ({ q: begun(authors[0] as string, dice) }),
  title: ({ title }) => ({ q: title }),
  oneWord: ({ text }, dice) => ({ q: someWords(text, dice, 1) }),
  twoWords: ({ text }, dice) => ({ q: someWords(text, dice, 2) }),
  fiveWords: ({ text, authors }, dice) => ({ q: `${someWords(text, dice, 3)} ${authors[0]}` }),
  mistypedTitle: ({ title }, dice) => ({ q: mistyped(title, dice) }),
  mistypedWord: ({ text }, dice) => ({ q: mistyped(someWords(text, dice, 1), dice) }),
  mistypedWords: ({ text }, dice) => ({ q: mistyped(someWords(text, dice, 3), dice) }),
  phrase: ({ text }, dice) => ({ q: `"${someWords(text, dice, 2)}" ${someWords(text, dice, 1)}` }),
  negative: ({ title, genres }) => ({ q: `${title} -${genres[0]}` }),
  unknownWords: ({ title }) => ({ q: `${title} unheardof nowhere` }),
  allWords: ({ text }, dice) => ({ q: someWords(text, dice, 3), matchingStrategy: 'all' }),
  frequency: ({ text }, dice) => ({ q: someWords(text, dice, 4), matchingStrategy: 'frequency' }),
  scores: ({ title }) => ({ q: title, showRankingScore: true, showRankingScoreDetails: true }),
  oneAttribute: ({ title }) => ({
    q: title,
    attributesToSearchOn: ['title'],
    attributesToRetrieve: ['title', 'year'],
  }),
  pages: ({ genres }, dice) => ({ q: genres[0], page: 1 + dice(3), hitsPerPage: 20 }),
  formatted: ({ text }, dice) => ({
    q: someWords(text, dice, 2),
    attributesToHighlight: ['*'],
    attributesToCrop: ['text'],
    cropLength: 12,
    showMatchesPosition: true,
  }),
  equality: ({ title, genres }, dice) => ({
    q: begun(title, dice),
    filter: `genres = ${genres[0]}`,
  }),
  ranges: ({ year, price }) => ({
    q: '',
    filter: `year >= ${year} AND price < ${price + 20} OR inPrint = true`,
  }),
  lists: ({ authors, genres, year }) => ({
    filter: [
      `authors IN [${authors.map((name) => `"${name}"`).join(', ')}]`,
      [`genres != ${genres[1]}`, `year ${year} TO ${year + 9}`],
    ],
  }),
  presence: () => ({ filter: 'edition EXISTS AND NOT edition IS EMPTY' }),
  facets: ({ title }, dice) => ({
    q: begun(title, dice),
    facets: ['authors', 'genres', 'year', 'price', 'inPrint'],
  }),
  facetsOfAll: () => ({ q: '', facets: ['*'], limit: 5 }),
  sorted: ({ genres }, dice) => ({
    q: dice(2) === 0 ? '' : genres[0],
    sort: [dice(2) === 0 ? 'year:desc' : 'price:asc', 'title:asc'],
  }),
  nearby: ({ _geo: { lat, lng } = { lat: 48, lng: 9 } }) => ({
    filter: `_geoRadius(${lat}, ${lng}, 2000000)`,
    sort: [`_geoPoint(${lat}, ${lng}):asc`],
  }),
  distinct: ({ text }, dice) => ({ q: someWords(text, dice, 1), distinct: 'year' }),
  placeholder: (_, dice) => ({ offset: dice(100) }),
  meaning: (book) => nearBook(book, 1),
  // The sizes differ: some result sets are compared by vectors, others by codes, looked up or
  // scanned.
  meaningOfTwoYears: (book) => ({
    ...nearBook(book, 1),
    filter: `year ${book.year} TO ${book.year + 1}`,
  }),
  meaningOfYears: (book) => ({
    ...nearBook(book, 1),
    filter: `year ${book.year} TO ${book.year + 12}`,
  }),
  meaningInPrint: (book) => ({ ...nearBook(book, 1), filter: 'inPrint = true' }),
  hybrid: (book, dice) => ({ q: someWords(book.text, dice, 2), ...nearBook(book, 0.5) }),
};

const similarTo = ({ id }: Book): object => ({ id, embedder: BOOK_EMBEDDER, limit: 5 });

/** @param indexUid index uid in the requests */
export function madeRequests(library: readonly Book[], indexUid: string): WarmUpRequest[] {
  const dice = createDice(2);
  const book = (): Book => library[dice(library.length)] as Book;
  /** All forms in turn, so that a truncated warm-up runs each form. */
  const searches = Array.from({ length: REQUESTS_OF_EACH_FORM }, () =>
    Object.values(FORMS).map((form) => form(book(), dice)),
  ).flat();
  const path = `/indexes/${indexUid}/search`;
  return [
    ...searches.map((body) => ({ path, body: JSON.stringify(body) })),
    ...Array.from({ length: REQUESTS_OF_EACH_FORM }, () => ({
      path: `/indexes/${indexUid}/similar`,
      body: JSON.stringify(similarTo(book())),
    })),
    ...GENRE_BEGINNINGS.map((facetQuery) => ({
      path: `/indexes/${indexUid}/facet-search`,
      body: JSON.stringify({ facetName: 'genres', facetQuery }),
    })),
    {
      path: '/multi-search',
      body: JSON.stringify({
        queries: [
          { indexUid, q: book().title },
          { indexUid, q: '' },
        ],
      }),
    },
  ];
}

const GENRE_BEGINNINGS = ['', 'n', 'no', 'his', 'poen'];
