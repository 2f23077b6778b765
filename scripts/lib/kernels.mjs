/**
 * Compiles the AssemblyScript kernels of vector search into a TypeScript module that holds them, so
 * that sources and dist load them alike.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const SOURCES = 'src/engine/vectors/assembly';
const COMPILED = 'src/engine/vectors/compiled-kernels.ts';
const OPTIONS = [
  '-O3',
  '--noAssert',
  '--runtime=stub',
  '--importMemory',
  '--enable=simd',
  '--disableWarning=112',
];

function readSources(root) {
  const names = readdirSync(join(root, SOURCES)).sort();
  return new Map(names.map((name) => [name, readFileSync(join(root, SOURCES, name), 'utf8')]));
}

function digestOf(sources) {
  const hash = createHash('sha256').update(OPTIONS.join(' '));
  for (const [name, text] of sources) hash.update(`\0${name}\0${text}`);
  return hash.digest('hex');
}

/** The text of the module, compiled anew. */
export async function compiledKernels(root) {
  const { main } = await import('assemblyscript/asc');
  const sources = readSources(root);
  let binary;
  const { error, stderr } = await main(['kernels.ts', '-o', 'kernels.wasm', ...OPTIONS], {
    readFile: (name) => sources.get(basename(name)) ?? null,
    writeFile: (_, contents) => {
      binary = contents;
    },
    listFiles: () => [],
  });
  if (error) throw new Error(`the kernels do not compile: ${error.message}\n${stderr}`);
  const lines = Buffer.from(binary)
    .toString('base64')
    .match(/.{1,90}/g);
  return [
    '/**',
    ' * The kernels of assembly/ as WebAssembly, compiled by `npm run build`: do not edit. SHA-256 of',
    ` * sources and options: ${digestOf(sources)}.`,
    ' */',
    'export const KERNELS_BASE64 = [',
    ...lines.map((line) => `  '${line}',`),
    `].join('');`,
    '',
  ].join('\n');
}

/** Writes the module when its sources have changed. */
export async function ensureKernels(root) {
  const path = join(root, COMPILED);
  const digest = digestOf(readSources(root));
  if (existsSync(path) && readFileSync(path, 'utf8').includes(digest)) return;
  writeFileSync(path, await compiledKernels(root));
}
