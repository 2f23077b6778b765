/** The Markdown files of the repository, as tests about documentation read them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SKIPPED = new Set(['node_modules', 'dist']);

function* markdownUnder(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (SKIPPED.has(entry.name) || entry.name.startsWith('.')) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* markdownUnder(path);
    else if (entry.name.endsWith('.md')) yield path;
  }
}

/** Paths from the root of the repository. */
export const markdownFiles = (): string[] => [...markdownUnder('.')].sort();

/** Text outside fenced blocks. */
export const proseOf = (file: string): string =>
  readFileSync(file, 'utf8').replace(/^```[\s\S]*?^```$/gm, '');

/** Targets of links and images. */
export const linkTargets = (prose: string): string[] =>
  [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target]) => target ?? '');

/**
 * Anchors of the headings of a file, as hosts of repositories make them, and anchors written out.
 */
export function anchorsOf(file: string): Set<string> {
  const prose = proseOf(file);
  const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
  const written = [...prose.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id);
  return new Set([...headings, ...written]);
}

/** Rows of the first table under a heading, cells trimmed, without its head. */
export function tableUnder(file: string, heading: string): string[][] {
  const text = readFileSync(file, 'utf8');
  const section = text.slice(text.indexOf(`\n${heading}\n`));
  const table = /^\|.*\|\n\|[-| ]+\|\n((?:\|.*\|\n)+)/m.exec(section)?.[1] ?? '';
  const rows = table.trimEnd().split('\n');
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

export interface CodeBlock {
  readonly language: string;
  /** What stands behind the language; '' = nothing. */
  readonly mark: string;
  readonly text: string;
}

/** Fenced blocks of a file, those in lists without their indentation. */
export function codeBlocks(file: string): CodeBlock[] {
  const fences = /^( *)```(\w*) ?(.*)\n([\s\S]*?)^\1```$/gm;
  return [...readFileSync(file, 'utf8').matchAll(fences)].map(
    ([, indent = '', language = '', mark = '', text = '']) => ({
      language,
      mark,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
}
