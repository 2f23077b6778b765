/** Comments, messages, docs and test titles use standard terms (CONTRIBUTING.md, "Plain words"). */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { proseOf } from '../support/prose.ts';

/** Words that a standard term or a concrete noun replaces. */
const REFUSED =
  /\b(?:told|tells of|unheard|whoever|somebody|nobody|anew|beside|so many|so long|kept whole|lent|taken back|set aside|in place|aside|young|given up|let go of|hands on|is asked for|ways|wants|knows)\b/gi;

/** Uses with a reason: a pattern that holds the refused word, and the files where it may stand. */
const EXCEPTIONS: readonly { file: RegExp; text: RegExp; reason: string }[] = [
  { file: /^test\/meta\/plain-words\.test\.ts$/, text: /.*/s, reason: 'this list' },
  { file: /./, text: /\bknows no\b/i, reason: 'error texts of the contract' },
  { file: /./, text: /\byoung generation\b/i, reason: "V8's term" },
  { file: /^CHANGELOG\.md$/, text: /.*/s, reason: 'releases are history' },
];

const FOLDERS = ['src', 'workers', 'config', 'scripts', 'load-tests', 'test', 'docs', 'examples'];

/** Recorded data: their words are the recordings'. */
const DATA = /^test\/fixtures\//;

function refusedUses(path: string, content: string): string[] {
  // Most files have none of the words anywhere, and are not parsed.
  if (content.search(REFUSED) < 0) return [];
  return proseOf(path, content).flatMap(({ line, text }) => {
    let rest = text;
    for (const { file, text: allowed } of EXCEPTIONS)
      if (file.test(path)) rest = rest.replace(new RegExp(allowed, `g${allowed.flags}`), '');
    return Array.from(rest.matchAll(REFUSED), ([word]) => `${path}:${line} ${word}`);
  });
}

const projectFiles = (): string[] =>
  execFileSync('git', ['ls-files', '-z', '--', ...FOLDERS, '*.md'], { encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '' && !DATA.test(path));

describe('plain words', () => {
  it('stand in comments, messages, docs and test titles', () => {
    const found = projectFiles().flatMap((path) => refusedUses(path, readFileSync(path, 'utf8')));
    expect(found).toEqual([]);
  });

  it('are looked for in comments, messages and titles, not in names', () => {
    const source = "/** Nobody. */\nconst told = 'told';\nconst text = 'is told it';\n";
    expect(refusedUses('src/a.ts', source)).toEqual(['src/a.ts:1 Nobody', 'src/a.ts:3 told']);
    const test = "it('is lent', () => { const data = 'a young fox'; });\n";
    expect(refusedUses('test/a.test.ts', test)).toEqual(['test/a.test.ts:1 lent']);
    expect(refusedUses('a.md', 'Anew.\n```\nanew\n```\n`anew`\n')).toEqual(['a.md:1 Anew']);
  });
});
