/** The scripts for k6 are whole: what they import is there, and each says what it is to keep. */
import { readdirSync } from 'node:fs';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const FOLDER = 'load-tests/k6';
const scripts = readdirSync(FOLDER).filter((file) => file.endsWith('.js'));

it.each(scripts)('%s is whole', async (file) => {
  const { outputFiles } = await build({
    entryPoints: [`${FOLDER}/${file}`],
    bundle: true,
    write: false,
    format: 'esm',
    external: ['k6', 'k6/*'],
    logLevel: 'silent',
  });
  const text = outputFiles[0]?.text ?? '';
  expect(text).toMatch(/thresholds: /);
  for (const [, name] of text.matchAll(/exec: "(\w+)"/g))
    expect(text).toMatch(new RegExp(`(function|var) ${name}\\b`));
});

it('are those of the documentation', () => {
  const names = scripts.map((file) => file.replace('.js', ''));
  expect(names.sort()).toEqual(['facets', 'hybrid', 'import', 'mixed', 'soak', 'typing']);
});
