/** The corpus of real text and the searches made of a list of queries. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { linesOf } from './data-files.ts';

export interface RealTextFiles {
  /** NDJSON of documents with `id`, `title` and `body`. */
  readonly corpus: string;
  /** Folder of `make.py` and `queries.txt`. */
  readonly protocol: string;
  /** Git directory that `make.py` reads; absent = the corpus must exist. */
  readonly repository?: string | undefined;
  /** Lines of JSON with a member `query`; absent = `queries.txt` of the protocol. */
  readonly queries?: string | undefined;
}

export interface TimedSearch {
  readonly kind: string;
  readonly q: string;
  readonly body: string;
}

const TYPED_LETTERS = [1, 2, 3, 5, 8];

const queriesPath = ({ protocol, queries }: RealTextFiles): string =>
  queries ?? join(protocol, 'queries.txt');

/** Makes the corpus if a repository is given. Returns what is missing, or null. */
export function missingRealText(files: RealTextFiles): string | null {
  if (!existsSync(queriesPath(files))) return `no queries at ${queriesPath(files)}`;
  if (existsSync(files.corpus)) return null;
  if (files.repository === undefined)
    return `no corpus at ${files.corpus}: --repository GIT_DIR makes it, --corpus names another`;
  const script = join(files.protocol, 'make.py');
  execFileSync('python3', [script, files.repository, files.corpus], { stdio: 'inherit' });
  return null;
}

/** Distinct queries of the list, without its operators. */
export const queryTexts = (files: RealTextFiles): string[] => [
  ...new Set(
    linesOf(queriesPath(files)).map((line) =>
      (JSON.parse(line) as { readonly query: string }).query
        .replace(/[+"]/g, ' ')
        .trim()
        .replace(/\s+/g, ' '),
    ),
  ),
];

/**
 * Distinct searches for each query: all words, last words optional, phrase, first letters, first
 * word with one letter of the second. A `limit` that was not sent before makes all of them new to a
 * response cache.
 */
export function searchesOf(texts: readonly string[], limit: number): TimedSearch[] {
  const searches = new Map<string, TimedSearch>();
  const add = (kind: string, q: string, more: object = {}): void => {
    const body = JSON.stringify({ q, limit, attributesToRetrieve: ['id', 'title'], ...more });
    if (!searches.has(body)) searches.set(body, { kind, q, body });
  };
  for (const text of texts) {
    const letters = [...text];
    add('all words', text, { matchingStrategy: 'all' });
    add('last optional', text);
    if (text.includes(' ')) add('phrase', `"${text}"`);
    for (const count of TYPED_LETTERS)
      if (count < letters.length) add(`${count} typed`, letters.slice(0, count).join(''));
    const space = text.indexOf(' ');
    if (space > 0) add('next word', text.slice(0, space + 2));
  }
  return [...searches.values()];
}
