/**
 * The programs of docs/clients.md in Python, Go and Rust, with the clients that its commands install:
 * in long runs, because each fetches packages.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLongRun } from '../support/run-length.ts';
import { cleanUp, freshFolder, TestServer } from '../support/test-server.ts';

const run = promisify(execFile);
const INSTALL_MS_MAX = 900_000;

interface Language {
  readonly title: string;
  /** Of the blocks of code. */
  readonly name: string;
  readonly tool: string;
  /** Where the program is written. */
  readonly file: string;
  /** Before the documented command. */
  readonly before?: string;
  readonly start: string;
}

const LANGUAGES: readonly Language[] = [
  {
    ...{ title: 'Python', name: 'python', tool: 'python3', file: 'films.py' },
    before: 'python3 -m venv . && . bin/activate',
    start: 'bin/python films.py',
  },
  { title: 'Go', name: 'go', tool: 'go', file: 'main.go', start: 'go run .' },
  {
    ...{ title: 'Rust', name: 'rust', tool: 'cargo', file: 'src/main.rs' },
    start: 'cargo run --quiet',
  },
];

/** The blocks of a section: the command that installs the client, and the program. */
function sectionOf({ title, name }: Language): { readonly install: string; readonly text: string } {
  const page = readFileSync('docs/clients.md', 'utf8');
  const section = page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
  const block = (language: string) =>
    new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section)?.[1] ?? '';
  return { install: block('sh'), text: block(name) };
}

function hasTool(tool: string): boolean {
  try {
    execFileSync('which', [tool]);
    return true;
  } catch {
    return false;
  }
}

describe('docs/clients.md', () => {
  it.each(LANGUAGES)('has a command that installs and a program for $title', (language) => {
    const { install, text } = sectionOf(language);
    expect(install).toMatch(/meilisearch/);
    expect(text).toContain('http://localhost:7700');
    expect(text).toContain('wondre wom');
  });
});

describe.skipIf(!isLongRun)('clients of other languages (npm run test:long)', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({});
  });
  afterAll(async () => {
    await server?.stop();
    await cleanUp();
  });

  it.each(LANGUAGES.filter(({ tool }) => hasTool(tool)))(
    'the program in $title adds films and finds one',
    async (language) => {
      const folder = freshFolder();
      const { install, text } = sectionOf(language);
      const { file, before = 'true', start } = language;
      const bash = (command: string) =>
        run('bash', ['-ec', command], { cwd: folder, env: { ...process.env, GANNET_KEY: 'any' } });
      await bash(`${before}\n${install}`);
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text.replace('http://localhost:7700', server.url));
      const { stdout } = await bash(start);
      expect(stdout).toContain('Wonder Woman');
      expect(stdout).not.toContain('Carol');
    },
    INSTALL_MS_MAX,
  );
});
