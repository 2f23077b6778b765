/**
 * node scripts/pack.mjs FOLDER [PLATFORM…]: builds, and writes the npm packages of a release to
 * FOLDER: `gannet` and one for each platform, by default this one. `npm install` takes both files.
 * `npm pack` and `npm publish` run it without a folder, and end with its message.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ensureBuilt, ROOT, run } from './lib/fresh.mjs';
import { writeMainPackage, writeProgramPackage } from './lib/npm-packages.mjs';

const [folder, ...given] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write(
    'The checkout itself is not a package (370 MB would be installed). Write the packages of a release:\n  node scripts/pack.mjs FOLDER [PLATFORM…]\n',
  );
  process.exit(2);
}
const platforms = given.length > 0 ? given : [`${process.platform}-${process.arch}`];

await ensureBuilt();
const DECLARATIONS = ['--declaration', '--emitDeclarationOnly', '--outDir', 'dist/types'];
const LANGUAGE = [
  '--ignoreConfig',
  '--target',
  'es2023',
  '--module',
  'nodenext',
  '--types',
  'node',
  '--strict',
];
run(process.execPath, [
  join(ROOT, 'node_modules/typescript-7/bin/tsc'),
  'src/runtime/create-server.ts',
  ...DECLARATIONS,
  ...LANGUAGE,
  '--skipLibCheck',
]);

const target = resolve(folder);
mkdirSync(target, { recursive: true });
const stage = mkdtempSync(join(tmpdir(), 'gannet-pack-'));
try {
  const names = ['gannet', ...platforms.map((platform) => `gannet-${platform}`)];
  writeMainPackage(join(stage, 'gannet'));
  for (const platform of platforms)
    await writeProgramPackage(platform, join(stage, `gannet-${platform}`));
  const folders = names.map((name) => join(stage, name));
  run('npm', ['pack', ...folders, '--pack-destination', target, '--loglevel=error'], {
    quiet: true,
  });
} finally {
  rmSync(stage, { recursive: true });
}
