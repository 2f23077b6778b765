/**
 * The npm packages of a release. `gannet` has the program's start and its types, and depends
 * optionally on one package for each platform, of which npm installs the one that fits. That one
 * has the program with its dependencies bundled, without the files that it never loads: 45 MB
 * instead of 370 MB, and no package whose `engines` or install scripts npm warns about.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { isNeverLoaded } from '../prune-packages.mjs';
import { ROOT, run } from './fresh.mjs';

/** Those for which RocksDB has a binary. */
export const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64'];
/** Versions of Node's ABI with a binary of uWebSockets.js: Node 20 and 22. */
const ABIS = ['115', '127'];
/** Folders of dist that hold pages, data and bundles. */
const BUNDLES = [
  'docs',
  'docs-index',
  'mcp',
  'node_modules',
  'processes',
  'search-page',
  'threads',
  'warm-up',
];
/** Modules of dist that bundles import, and the package's export. */
const MODULES = [
  'src/cli/own-entries.js',
  'src/main.js',
  'src/runtime/built-indexes.js',
  'src/runtime/create-server.js',
  'src/runtime/worker-urls.js',
];
/** Packages that only bundles of processes and threads use, which hold them. */
const BUNDLED = ['eventsource-parser', 'lru-cache', 'node-cron', 'opencc-js', 'stemmer'];
/** Kept compressed; `word-lists.ts` reads both forms. */
const WORD_LIST = 'node_modules/@node-rs/jieba/dict.txt';
/** Members of a bundled package's description that its use needs. */
const DESCRIPTION = ['name', 'version', 'license', 'type', 'main', 'module', 'exports', 'imports'];

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const writeJson = (path, value) => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
const pick = (value, members) =>
  Object.fromEntries(members.filter((name) => name in value).map((name) => [name, value[name]]));

/** Paths of the packages that run in production, such as `node_modules/pino`. */
function productionPaths() {
  const { packages } = readJson(join(ROOT, 'package-lock.json'));
  return Object.entries(packages)
    .filter(([path, { dev, peer, devOptional }]) => path !== '' && !(dev || peer || devOptional))
    .map(([path]) => path);
}

/** The folder with the installed packages of a platform. */
function installedFor(platform) {
  if (platform === `${process.platform}-${process.arch}`) return ROOT;
  const folder = mkdtempSync(join(tmpdir(), `gannet-${platform}-`));
  for (const file of ['package.json', 'package-lock.json', '.npmrc'])
    cpSync(join(ROOT, file), join(folder, file));
  const [os, cpu] = platform.split('-');
  const flags = ['--omit=dev', '--ignore-scripts', `--os=${os}`, `--cpu=${cpu}`];
  if (os === 'linux') flags.push('--libc=glibc');
  run('npm', ['ci', '--prefix', folder, ...flags], { quiet: true });
  return folder;
}

function copyPackage(source, target, host) {
  cpSync(source, target, {
    recursive: true,
    filter: (path) =>
      path === source || (!/[\\/]node_modules$/.test(path) && !isNeverLoaded(path, host)),
  });
  const description = readJson(join(source, 'package.json'));
  writeJson(join(target, 'package.json'), pick(description, DESCRIPTION));
}

const common = () =>
  pick(readJson(join(ROOT, 'package.json')), [
    'version',
    'license',
    'publishConfig',
    'type',
    'engines',
  ]);

const PEERS = ['peerDependencies', 'peerDependenciesMeta'];

/** Writes the package of a platform to a new folder. */
export async function writeProgramPackage(platform, folder) {
  const [os, arch] = platform.split('-');
  const installed = installedFor(platform);
  const dependencies = {};
  for (const path of productionPaths().filter((path) => existsSync(join(installed, path)))) {
    const host = { platform: os, arch, abis: ABIS };
    const source = join(installed, path);
    const [, name, nested] = path.split('node_modules/');
    if (BUNDLED.includes(name) || isNeverLoaded(source, host)) continue;
    copyPackage(source, join(folder, path), host);
    if (nested === undefined) dependencies[name] = readJson(join(source, 'package.json')).version;
  }
  if (installed !== ROOT) rmSync(installed, { recursive: true });
  const words = join(folder, WORD_LIST);
  writeFileSync(words, gzipSync(readFileSync(words), { level: 9 }));
  for (const path of [...BUNDLES, ...MODULES])
    cpSync(join(ROOT, 'dist', path), join(folder, 'dist', path), {
      recursive: true,
      filter: (path) => !path.endsWith('.map'),
    });
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  writeJson(join(folder, 'package.json'), {
    name: `gannet-${platform}`,
    description: `The program of gannet for ${platform}`,
    ...common(),
    os: [os],
    cpu: [arch],
    ...(os === 'linux' && { libc: ['glibc'] }),
    dependencies,
    bundleDependencies: Object.keys(dependencies),
    ...pick(readJson(join(ROOT, 'package.json')), PEERS),
  });
}

/** Writes the package `gannet` to a new folder. */
export function writeMainPackage(folder) {
  const root = readJson(join(ROOT, 'package.json'));
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(join(ROOT, 'scripts/npm')))
    cpSync(join(ROOT, 'scripts/npm', file), join(folder, file));
  cpSync(join(ROOT, 'dist/types/create-server.d.ts'), join(folder, 'create-server.d.mts'));
  for (const file of ['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md'])
    cpSync(join(ROOT, file), join(folder, file));
  writeJson(join(folder, 'package.json'), {
    ...pick(root, ['name', 'description', 'keywords', ...PEERS]),
    ...common(),
    bin: { gannet: 'gannet.mjs' },
    exports: { '.': { types: './create-server.d.mts', default: './create-server.mjs' } },
    optionalDependencies: Object.fromEntries(
      PLATFORMS.map((platform) => [`gannet-${platform}`, root.version]),
    ),
  });
}
