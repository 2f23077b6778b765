/** Two exported things never share a name: who searches for one finds one. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const FOLDERS = ['src', 'workers', 'config'];

/** Compiled by itself: nothing here imports from it. */
const OTHER_PROGRAM = /^src\/engine\/\w+\/assembly\//;

const DECLARATION =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type) ([\w$]+)/gm;

/** In a clause `export { a, type b, c as d }` the names that importers see. */
const CLAUSE = /^export (?:type )?\{([^}]*)\}/gm;

const namesOfClause = (clause: string): string[] =>
  clause.split(',').flatMap(
    (part) =>
      part
        .trim()
        .replace(/^type /, '')
        .split(' as ')
        .at(-1) || [],
  );

/** A type and the schema constant of its name in one file count once. */
const exportedNames = (source: string): ReadonlySet<string> =>
  new Set([
    ...Array.from(source.matchAll(DECLARATION), ([, name = '']) => name),
    ...Array.from(source.matchAll(CLAUSE), ([, clause = '']) => namesOfClause(clause)).flat(),
  ]);

function filesByName(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const folder of FOLDERS) {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const file = join(folder, name);
      if (!name.endsWith('.ts') || OTHER_PROGRAM.test(file)) continue;
      for (const exported of exportedNames(readFileSync(file, 'utf8')))
        found.set(exported, [...(found.get(exported) ?? []), file]);
    }
  }
  return found;
}

describe('exported names', () => {
  it('are each exported by one file', () => {
    const shared = [...filesByName()].filter(([, files]) => files.length > 1);
    expect(Object.fromEntries(shared)).toEqual({});
  });

  it('are read from declarations and clauses alike', () => {
    const source =
      'export const a = 1;\nexport type b = 2;\nexport { c, type d, e as f };\nexport async function g() {}\n';
    expect([...exportedNames(source)]).toEqual(['a', 'b', 'g', 'c', 'd', 'f']);
  });
});
