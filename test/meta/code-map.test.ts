/**
 * ARCHITECTURE.md's map, the executable import table and the tree say the same; what it calls
 * absent is absent.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tableUnder } from '../support/markdown.ts';

interface Rule {
  readonly name: string;
}

const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
  forbidden: readonly Rule[];
};
const rows = tableUnder('ARCHITECTURE.md', '## 3. Code map').map(
  ([folder = '', what = '', start = '']) => ({
    folder: folder.replaceAll('`', ''),
    what,
    start: start.replaceAll('`', ''),
  }),
);

/** Folders that have a line in the import table. */
const layers = forbidden.flatMap(({ name }) =>
  name.startsWith('layer-') ? [`src/${name.slice('layer-'.length)}`] : [],
);

const folders = readdirSync('src', { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => join(entry.parentPath, entry.name));
const isTop = (folder: string): boolean => folder.split('/').length === 2;

function sources(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.ts')).map((name) => join(folder, name));
}

describe('the code map', () => {
  it('names every folder of src and no other', () => {
    const named = rows.map(({ folder }) => folder).filter((folder) => folder !== 'src/main.ts');
    expect(named.sort()).toEqual(folders.sort());
  });

  it('is in tree order', () => {
    const named = rows.map(({ folder }) => folder).slice(1);
    expect(named).toEqual([...named].sort());
  });

  it('sends newcomers to a file that exists', () => {
    for (const { folder, start } of rows.slice(1))
      expect(existsSync(join(folder, start)), `${folder}/${start}`).toBe(true);
  });

  it('takes one line of 100 columns a folder', () => {
    const long = rows.filter(
      ({ folder, what, start }) => `| \`${folder}\` | ${what} | \`${start}\` |`.length > 100,
    );
    expect(long).toEqual([]);
  });
});

describe('the way into the project', () => {
  it('is a picture of at most 15,000 bytes', () => {
    expect(statSync('ARCHITECTURE.md').size).toBeLessThanOrEqual(15_000);
  });

  it('names the file of at least twelve changes', () => {
    const files = tableUnder('CONTRIBUTING.md', '## Where to change what').map(([, file = '']) =>
      file.replaceAll('`', ''),
    );
    expect(files.length).toBeGreaterThanOrEqual(12);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });
});

describe('the README of workers', () => {
  it('names every file that is there and no other', () => {
    const rows = ['## Entries', '## Parts'].flatMap((heading) =>
      tableUnder('workers/README.md', heading),
    );
    const named = rows.flatMap(([files = '']) =>
      [...files.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file),
    );
    const there = readdirSync('workers').filter((name) => name.endsWith('.ts'));
    expect(named.sort()).toEqual(there.sort());
  });
});

describe('the import table', () => {
  it('has a line for every folder of src', () => {
    expect(layers.sort()).toEqual(folders.filter(isTop).sort());
  });
});

/** Lines of code of a file that match, comments apart. */
function linesWith(file: string, pattern: RegExp): string[] {
  const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  return code.split('\n').filter((line) => pattern.test(line));
}

describe('what is absent on purpose', () => {
  it.each([...sources('src/engine'), ...sources('src/search')])(
    '%s has no clock, no randomness and nothing asynchronous',
    (file) => {
      const impure =
        /\bDate\.now\b|\bnew Date\(\)|\bperformance\b|\bMath\.random\b|\bcrypto\b|\basync\b|\bawait\b|\bPromise\b|\bset(Timeout|Interval|Immediate)\b|\bprocess\./;
      expect(linesWith(file, impure)).toEqual([]);
    },
  );

  it('is reading of the environment, six places apart', () => {
    const all = ['src', 'workers', 'config'].flatMap(sources);
    const readers = all.filter((file) => linesWith(file, /\bprocess\.env\b/).length > 0).sort();
    expect(readers).toEqual([
      'src/cli/gannet.ts',
      'src/http/uws-server.ts',
      'src/main.ts',
      'src/runtime/create-server.ts',
      'src/runtime/process-manager.ts',
      'workers/child-entry.ts',
    ]);
  });

  it('is a file of the product whose first line does not say what it is', () => {
    const all = ['src', 'workers', 'config', 'scripts', 'load-tests'].flatMap(sources);
    const silent = all.filter((file) => !readFileSync(file, 'utf8').startsWith('/**'));
    expect(silent).toEqual([]);
  });
});
