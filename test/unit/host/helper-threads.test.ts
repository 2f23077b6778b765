/** Threads of V8 that compile: which they are, and how much of a processor they ask for. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const MODULE = fileURLToPath(new URL('../../../src/host/helper-threads.ts', import.meta.url));

/** In a process of its own, whose helpers are nobody else's. */
const SCRIPT = `
  import { getPriority } from 'node:os';
  import { buildSync } from 'esbuild';
  const { outputFiles } = buildSync({
    entryPoints: [${JSON.stringify(MODULE)}], bundle: true, write: false, platform: 'node', format: 'esm',
  });
  const url = 'data:text/javascript,' + encodeURIComponent(outputFiles[0].text);
  const { helperThreads, helpersYieldToOthers } = await import(url);
  helpersYieldToOthers();
  console.log(JSON.stringify({ own: getPriority(), helpers: helperThreads().map((id) => getPriority(id)) }));
`;

describe('helper threads', () => {
  it('have a lower priority than the thread that runs JavaScript, where Linux keeps them apart', () => {
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', SCRIPT], {
      encoding: 'utf8',
    });
    const { own, helpers } = JSON.parse(said) as { own: number; helpers: number[] };
    const expected = Math.max(own, 5);
    for (const priority of helpers) expect(priority).toBe(expected);
    if (process.platform === 'linux') expect(helpers).toHaveLength(5);
  });
});
