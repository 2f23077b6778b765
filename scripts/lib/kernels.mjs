/**
 * Compiles the AssemblyScript kernels into TypeScript modules, so that sources and dist load them
 * in the same way.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The kernels in each folder `assembly`, and the name of the constant that contains them. */
export const KERNEL_MODULES = [
  { folder: 'src/engine/bytes', name: 'CHECKSUM_KERNELS_BASE64' },
  { folder: 'src/engine/postings', name: 'POSTING_KERNELS_BASE64' },
  { folder: 'src/engine/vectors', name: 'KERNELS_BASE64' },
  { folder: 'src/engine/sets', name: 'SET_KERNELS_BASE64' },
  { folder: 'src/engine/segment', name: 'FORWARD_KERNELS_BASE64' },
];
const OPTIONS = [
  '-O3',
  '--noAssert',
  '--runtime=stub',
  '--importMemory',
  '--enable=simd',
  '--disableWarning=112',
];

/** Path of the compiled kernels of a folder. */
export const compiledFile = ({ folder }) => `${folder}/compiled-kernels.ts`;

function readSources(root, { folder }) {
  const sources = join(root, folder, 'assembly');
  const names = readdirSync(sources).sort();
  return new Map(names.map((name) => [name, readFileSync(join(sources, name), 'utf8')]));
}

function digestOf(sources) {
  const hash = createHash('sha256').update(OPTIONS.join(' '));
  for (const [name, text] of sources) hash.update(`\0${name}\0${text}`);
  return hash.digest('hex');
}

/** Compiles the kernels and returns the text of the module. */
export async function compiledKernels(root, module) {
  const { main } = await import('assemblyscript/asc');
  const sources = readSources(root, module);
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
    `export const ${module.name} = [`,
    ...lines.map((line) => `  '${line}',`),
    `].join('');`,
    '',
  ].join('\n');
}

/** True if the module was compiled from the sources as they are. */
export function isCompiled(root, module) {
  const path = join(root, compiledFile(module));
  return (
    existsSync(path) && readFileSync(path, 'utf8').includes(digestOf(readSources(root, module)))
  );
}

/** Writes the modules whose sources have changed. */
export async function ensureKernels(root) {
  for (const module of KERNEL_MODULES.filter((each) => !isCompiled(root, each)))
    writeFileSync(join(root, compiledFile(module)), await compiledKernels(root, module));
}
