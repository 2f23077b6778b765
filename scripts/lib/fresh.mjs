/**
 * Decides what is stale: dependencies by the lockfile, dist by its sources. Plain JavaScript
 * without dependencies, because it runs before both exist.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleCode, bundleTypebox, compile, isCompiled } from './bundles.mjs';
import { ensureKernels } from './kernels.mjs';

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
export const SOURCE_FOLDERS = ['src', 'workers', 'config', 'scripts', 'load-tests'];
const BUILD_FILES = ['tsconfig.json', 'package-lock.json', 'scripts/lib/bundles.mjs'];
const STAMP = 'dist/.stamp';
/** Sources of the pages under `/docs`, in addition to docs/. */
const DOCUMENTS = [
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'load-tests/RESULTS.md',
  'scripts/lib/documentation.mjs',
];
const DOCUMENTS_STAMP = 'dist/.documents-stamp';

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** True when every non-optional package of the lockfile is installed in the same version. */
export function isInstalled(root = ROOT) {
  const record = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(record)) return false;
  const wanted = readJson(join(root, 'package-lock.json')).packages;
  const installed = readJson(record).packages;
  return Object.entries(wanted).every(
    ([path, entry]) =>
      path === '' || entry.optional === true || installed[path]?.version === entry.version,
  );
}

function* filesUnder(folder) {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesUnder(path);
    else yield path;
  }
}

const sourcesOf = (root) =>
  SOURCE_FOLDERS.flatMap((folder) => [...filesUnder(join(root, folder))]).filter((file) =>
    /\.(tsx?|css|html)$/.test(file),
  );

/** One line for each input of the build: path, size, mtime. */
export function fingerprint(root = ROOT) {
  return stampOf(root, [...sourcesOf(root), ...BUILD_FILES.map((file) => join(root, file))]);
}

function stampOf(root, files) {
  const lines = files.filter(existsSync).map((file) => {
    const { size, mtimeMs } = statSync(file);
    return `${relative(root, file)} ${size} ${mtimeMs}`;
  });
  return lines.sort().join('\n');
}

export function isBuilt(root = ROOT) {
  const stamp = join(root, STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint(root);
}

/** Removes outputs of deleted sources, so that dist never runs deleted code. */
function removeOrphans(root) {
  const modules = SOURCE_FOLDERS.flatMap((folder) => [...filesUnder(join(root, 'dist', folder))]);
  for (const file of modules) {
    const source = join(root, relative(join(root, 'dist'), file)).replace(/\.js(\.map)?$/, '.ts');
    if (/\.js(\.map)?$/.test(file) && !existsSync(source)) rmSync(file);
  }
}

/** Runs a command with inherited output; exits with its code when it fails. */
export function run(command, args, { quiet = false } = {}) {
  const { status, error } = spawnSync(command, args, {
    cwd: ROOT,
    stdio: quiet ? ['ignore', 'ignore', 'inherit'] : 'inherit',
    shell: process.platform === 'win32',
  });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

export function ensureInstalled() {
  if (isInstalled()) return;
  process.stderr.write('installing dependencies …\n');
  run(
    'npm',
    ['ci', '--no-audit', '--no-fund', '--include=dev', '--ignore-scripts', '--loglevel=error'],
    {
      quiet: true,
    },
  );
}

/** The pages of the documentation and their index. */
async function ensureDocumentation() {
  const inputs = DOCUMENTS.map((path) => join(ROOT, path));
  const stamp = stampOf(ROOT, [...inputs, ...filesUnder(join(ROOT, 'docs'))]);
  const path = join(ROOT, DOCUMENTS_STAMP);
  if (existsSync(path) && readFileSync(path, 'utf8') === stamp) return;
  const { writeDocumentation } = await import('./documentation.mjs');
  writeDocumentation(ROOT);
  run(process.execPath, [join(ROOT, 'dist/scripts/docs-index/make-docs-index.js')]);
  writeFileSync(path, stamp);
}

/** The module of dist that a source is compiled to. @param path below root */
export const modulePath = (path) => join('dist', path.replace(/\.ts$/, '.js'));

/** Compiles sources that are newer than their modules, for tests that start no process of dist. */
export async function ensureCompiled() {
  const isOlder = (path) => {
    const module = join(ROOT, modulePath(path));
    return !existsSync(module) || statSync(module).mtimeMs < statSync(join(ROOT, path)).mtimeMs;
  };
  const sources = sourcesOf(ROOT).map((file) => relative(ROOT, file));
  const changed = sources.filter((path) => isCompiled(path) && isOlder(path));
  if (changed.length > 0) await compile(ROOT, changed);
  removeOrphans(ROOT);
}

export async function ensureBuilt() {
  await ensureCode();
  await ensureDocumentation();
}

async function ensureCode() {
  if (isBuilt()) return;
  process.stderr.write('building …\n');
  await ensureKernels(ROOT);
  const stamp = fingerprint();
  // Code writes the index of the documentation.
  for (const name of [STAMP, DOCUMENTS_STAMP]) rmSync(join(ROOT, name), { force: true });
  await compile(
    ROOT,
    sourcesOf(ROOT).map((file) => relative(ROOT, file)),
  );
  removeOrphans(ROOT);
  await bundleTypebox(ROOT);
  await bundleCode(ROOT);
  run(process.execPath, [join(ROOT, 'dist/scripts/warm-up/make-warm-up.js')]);
  writeFileSync(join(ROOT, STAMP), stamp);
}
