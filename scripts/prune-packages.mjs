/**
 * node scripts/prune-packages.mjs FOLDER: removes files from FOLDER/node_modules that a server on
 * this platform and Node version never loads: native libraries of other platforms, Node versions
 * and runtimes, sources and documentation of packages, type declarations, source maps. For images;
 * run it after `npm ci --omit=dev`.
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of packages whose subfolders are named `<platform>-<architecture>`. */
const PREBUILDS = 'prebuilds';
/** `<library>_<platform>_<architecture>_<Node ABI version>.node` in one folder. */
const NATIVE_FILE = /_([a-z0-9]+)_([a-z0-9]+)_(\d+)\.node$/;
/** Files for another JavaScript runtime. */
const OTHER_RUNTIME = /\.bare$/;
/** All files of a package of which only the word list is read. */
const BESIDE_WORDS = /\/@node-rs\/jieba(-[^/]+)?\/(?!dict\.txt$|package\.json$|LICENSE$)/;
const NEVER_LOADED = /\.(map|d\.[cm]?ts|md|markdown|cc|cpp|h|hh|hpp)$|(^|\/)CMakeLists\.txt$/;
/** Build inputs of native packages, and a package that dist has as a bundle. */
const FOLDERS = ['koffi/vendor', 'koffi/doc', 'opencc-js/dist/umd', 'typebox'];

export const host = {
  platform: process.platform,
  arch: process.arch,
  abi: process.versions.modules,
};

function* filesUnder(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesUnder(path);
    else if (entry.isFile()) yield path;
  }
}

function isNeverLoaded(path, { platform, arch, abi }) {
  const folder = basename(dirname(path));
  if (basename(dirname(dirname(path))) === PREBUILDS && folder !== `${platform}-${arch}`)
    return true;
  if ([OTHER_RUNTIME, NEVER_LOADED, BESIDE_WORDS].some((never) => never.test(path))) return true;
  const native = NATIVE_FILE.exec(path);
  return native !== null && (native[1] !== platform || native[2] !== arch || native[3] !== abi);
}

/** Returns the number of bytes removed. */
export function prunePackages(root, target = host) {
  const packages = join(root, 'node_modules');
  if (!existsSync(packages)) throw new Error(`there is no ${packages}`);
  let bytes = 0;
  const remove = (path) => {
    bytes += statSync(path).size;
    rmSync(path);
  };
  for (const folder of FOLDERS.map((name) => join(packages, name)).filter(existsSync)) {
    for (const path of filesUnder(folder)) remove(path);
    rmSync(folder, { recursive: true });
  }
  for (const path of [...filesUnder(packages)]) if (isNeverLoaded(path, target)) remove(path);
  return bytes;
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const bytes = prunePackages(process.argv[2] ?? '.');
  console.log(`removed ${Math.round(bytes / 1e6)} MB that a server here never loads`);
}
