/** The sections of docs/relevance.md and docs/api.md that comments, tests and documents cite exist. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { citationsIn, sectionsOf } from '../support/citations.ts';
import { markdownFiles } from '../support/markdown.ts';

const FOLDERS = ['src', 'workers', 'config', 'scripts', 'load-tests', 'test'];
const SELF = 'test/meta/citations.test.ts';

const sources = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.m?ts$|\.mjs$/.test(name))
    .map((name) => join(folder, name)),
).filter((file) => file !== SELF);

const sections = new Map(
  ['docs/relevance.md', 'docs/api.md'].map((file) => [
    file,
    sectionsOf(readFileSync(file, 'utf8')),
  ]),
);

/** Citations of the file that lead nowhere. */
const faultsOf = (file: string): string[] =>
  citationsIn(readFileSync(file, 'utf8'))
    .filter(({ document, section }) => !sections.get(document)?.has(section))
    .map(({ document, section }) => `${file} cites ${section} of ${document}`);

describe('cited sections', () => {
  it('exist', () => {
    expect([...sources, ...markdownFiles()].flatMap(faultsOf)).toEqual([]);
  });

  it('are many', () => {
    const cited = sources.flatMap((file) => citationsIn(readFileSync(file, 'utf8')));
    expect(cited.length).toBeGreaterThan(100);
  });

  it.each([
    ['/** Words (relevance.md 1.1 step 5, in order). */', ['1.1']],
    ['/** Words (relevance.md 3.3,\n * 3.14). */', ['3.3', '3.14']],
    ['/**\n * Words (relevance.md\n * 2.5) */', ['2.5']],
    ['// sections 2.3 and 2.6 of relevance.md: words', ['2.3', '2.6']],
    ['/** relevance.md 6.3 to 6.5 */', ['6.3', '6.5']],
    ['/** then the rest (3.12). */', ['3.12']],
    ["it('hides fields (6.2)', () => {", ['6.2']],
    ['/** The table of api.md 14.4, its footnotes. */', ['14.4']],
    ['expect(score(0.9)).toBe(2.5); [(2.5).round(), (2.4).floor()]', []],
  ])('are found in %j', (text, expected) => {
    expect(citationsIn(text).map(({ section }) => section)).toEqual(expected);
  });

  it('are missed where there is no such heading', () => {
    const found = sectionsOf('# Title\n\n## 3. Ranking\n\n### 3.7 proximity\n\nabout 3.8\n');
    expect([...found]).toEqual(['3', '3.7']);
  });
});
