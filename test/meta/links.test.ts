/** What the documentation points to exists: files, folders, headings, npm scripts; the changelog has its form. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorsOf, linkTargets, markdownFiles, proseOf } from '../support/markdown.ts';

const files = markdownFiles();
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>;
};

/** Why a relative link leads nowhere, or null. */
function faultOf(file: string, target: string): string | null {
  if (/^[a-z]+:/.test(target)) return null;
  const [path = '', anchor] = target.split('#');
  const found = path === '' ? file : join(dirname(file), decodeURIComponent(path));
  if (!existsSync(found)) return `${target}: there is no ${found}`;
  if (anchor === undefined || !found.endsWith('.md')) return null;
  return anchorsOf(found).has(anchor) ? null : `${target}: ${found} has no heading #${anchor}`;
}

/** Paths of the tree in code spans; `<…>`, `*` and file names alone are no paths. */
const namedPaths = (prose: string): string[] =>
  [...prose.matchAll(/`((?:src|workers|config|scripts|load-tests|test|docs)\/[\w./-]*)`/g)].map(
    ([, path = '']) => path,
  );

const calledScripts = (text: string): string[] =>
  [...text.matchAll(/\bnpm (?:run (?:-s )?([\w:-]+)|(start|test)\b)/g)].map(
    ([, script, short]) => script ?? short ?? '',
  );

describe.each(files)('%s', (file) => {
  const prose = proseOf(file);

  it('links to what exists', () => {
    const faults = linkTargets(prose).map((target) => faultOf(file, target));
    expect(faults.filter((fault) => fault !== null)).toEqual([]);
  });

  it('names paths that exist', () => {
    expect(namedPaths(prose).filter((path) => !existsSync(path))).toEqual([]);
  });

  it('calls npm scripts that exist', () => {
    expect(
      calledScripts(readFileSync(file, 'utf8')).filter((name) => scripts[name] === undefined),
    ).toEqual([]);
  });
});

it('finds the documents that a newcomer reads', () => {
  for (const file of ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'workers/README.md'])
    expect(files).toContain(file);
});

it('recognises a link, an anchor and a path that lead nowhere', () => {
  expect(linkTargets('a [b](c.md#d) and ![e](f.png)')).toEqual(['c.md#d', 'f.png']);
  expect(faultOf('README.md', 'nowhere.md')).toContain('there is no nowhere.md');
  expect(faultOf('README.md', 'CONTRIBUTING.md#nothing-here')).toContain('no heading');
  expect(faultOf('docs/routes.md', '../README.md')).toBeNull();
  expect(calledScripts('`npm run bench:micro` and npm start -- --help')).toEqual([
    'bench:micro',
    'start',
  ]);
  expect(namedPaths('`src/nothing.ts` and `src/search` and `indexes/<id>`')).toEqual([
    'src/nothing.ts',
    'src/search',
  ]);
});

describe('the changelog', () => {
  it('has every entry under a subject', () => {
    const parts = readFileSync('CHANGELOG.md', 'utf8').split(/^#### .*$/m);
    const entries = parts.slice(1).map((part) => part.match(/^- /gm)?.length ?? 0);
    expect(parts[0]).not.toMatch(/^- /m);
    expect(Math.max(...entries), 'entries of one subject').toBeLessThan(40);
  });
});
