/** What people would type: made of the documents that the index holds, with their typing mistakes. */
import { call, expectOk, INDEX } from './target.js';

const PAGES = 20;
const PAGE_DOCUMENTS = 50;
const WORDS_MAX = 3;
/** Words of at least this many letters are long enough for a typo that the server tolerates. */
const MISTAKEN_LETTERS_MIN = 5;
const MISTAKE_SHARE = 0.2;

/** For `setup`: documents from all over the index, and the settings that tests depend on. */
export function sampleOf(index = INDEX) {
  const { numberOfDocuments } = expectOk(
    call('GET', `/indexes/${index}/stats`, undefined, 'stats'),
  );
  if (numberOfDocuments === 0) throw new Error(`index ${index} has no documents`);
  const documents = [];
  for (let page = 0; page < PAGES; page += 1) {
    const offset = Math.floor((numberOfDocuments * page) / PAGES);
    const path = `/indexes/${index}/documents?limit=${PAGE_DOCUMENTS}&offset=${offset}`;
    documents.push(...expectOk(call('GET', path, undefined, 'documents')).results);
  }
  const settings = expectOk(call('GET', `/indexes/${index}/settings`, undefined, 'settings'));
  const { primaryKey } = expectOk(call('GET', `/indexes/${index}`, undefined, 'index'));
  return { documents, primaryKey, settings, texts: documents.map(titleOf).filter((text) => text) };
}

/** The shortest text of several words, which is a name or title in most corpora. */
function titleOf(document) {
  const texts = Object.values(document).filter((value) => typeof value === 'string');
  const named = texts.filter((text) => /[^\s\d]\s*\S/.test(text) && text.length > 2);
  return named.sort((a, b) => a.length - b.length).find((text) => text.includes(' ')) || named[0];
}

const below = (limit) => Math.floor(Math.random() * limit);
export const oneOf = (list) => list[below(list.length)];

/** Two letters swapped, one left out, doubled or replaced. */
function mistaken(word) {
  const at = 1 + below(word.length - 2);
  const [head, letter, next, tail] = [
    word.slice(0, at),
    word[at],
    word[at + 1] || '',
    word.slice(at + 2),
  ];
  return oneOf([
    head + next + letter + tail,
    head + next + tail,
    head + letter + letter + next + tail,
    `${head}e${next}${tail}`,
  ]);
}

/** One to three words in a row of a document's title, some of them mistyped. */
export function query(texts) {
  const words = oneOf(texts).toLowerCase().split(/\s+/);
  const from = below(words.length);
  return words
    .slice(from, from + 1 + below(WORDS_MAX))
    .map((word) =>
      word.length >= MISTAKEN_LETTERS_MIN && Math.random() < MISTAKE_SHARE ? mistaken(word) : word,
    )
    .join(' ')
    .slice(0, 40);
}
