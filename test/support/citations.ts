/**
 * Citations of numbered sections: `relevance.md 3.7, 3.9`, `sections 2.3 and 2.6 of relevance.md`,
 * and a bare `(3.12)`, which stands for relevance.md.
 */

export interface Citation {
  readonly document: string;
  readonly section: string;
}

const NUMBERS = String.raw`\d+(?:\.\d+)*(?:(?:, | and |, and | to |–|-)\d+(?:\.\d+)*)*`;
const AFTER = new RegExp(String.raw`\b(relevance|api)\.md (${NUMBERS})`, 'g');
const BEFORE = new RegExp(String.raw`(${NUMBERS}) of (?:docs/)?(relevance|api)\.md`, 'g');
const BARE = /(?<=\s)\((\d+\.\d+)\)(?=[\s,;:'*]|\.\s|\.$)/g;

/** A comment or a paragraph wrapped over several lines as one line. */
const unwrapped = (text: string): string => text.replace(/\n\s*(?:\*|\/\/)? ?/g, ' ');

const numbersOf = (list: string): string[] => list.match(/\d+(?:\.\d+)*/g) ?? [];

export function citationsIn(text: string): Citation[] {
  const line = unwrapped(text);
  const named = [
    ...[...line.matchAll(AFTER)].map(([, name, list]) => ({ name, list })),
    ...[...line.matchAll(BEFORE)].map(([, list, name]) => ({ name, list })),
    ...[...line.matchAll(BARE)].map(([, list]) => ({ name: 'relevance', list })),
  ];
  return named.flatMap(({ name, list = '' }) =>
    numbersOf(list).map((section) => ({ document: `docs/${name}.md`, section })),
  );
}

/** Numbers of the headings of a document: `3` of `## 3. Ranking`, `3.7` of `### 3.7 proximity`. */
export const sectionsOf = (markdown: string): ReadonlySet<string> =>
  new Set([...markdown.matchAll(/^#+ (\d+(?:\.\d+)*)\.? /gm)].map(([, number = '']) => number));
