/**
 * `npm run release`: packs the packages of all platforms, their SBOM and checksums into a folder, and
 * prints the commands that publish them with provenance, `gannet` last. It publishes nothing itself.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './lib/fresh.mjs';
import { PLATFORMS } from './lib/npm-packages.mjs';

const FOLDER = join(ROOT, 'dist/release');

const output = (command, args) => execFileSync(command, args, { cwd: ROOT, encoding: 'utf8' });

function fail(message) {
  process.stderr.write(`release: ${message}\n`);
  process.exit(1);
}

const { name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
if (output('git', ['status', '--porcelain']) !== '')
  fail('the working tree has changes: commit them first');
if (!new RegExp(`^## ${version}\\b`, 'm').test(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')))
  fail(`CHANGELOG.md has no section ${version}`);

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
output(process.execPath, ['scripts/pack.mjs', FOLDER, ...PLATFORMS]);
const sbom = output('npm', [
  'sbom',
  '--package-lock-only',
  '--omit=dev',
  '--sbom-format=cyclonedx',
  '--sbom-type=application',
]);
writeFileSync(join(FOLDER, `${name}-${version}.cdx.json`), sbom);
const sums = readdirSync(FOLDER).map((file) => {
  const digest = createHash('sha256').update(readFileSync(join(FOLDER, file)));
  return `${digest.digest('hex')}  ${file}\n`;
});
writeFileSync(join(FOLDER, 'SHA256SUMS'), sums.join(''));
const commands = [...PLATFORMS.map((platform) => `${name}-${platform}`), name].map(
  (packed) =>
    `  npm publish ${join('dist/release', `${packed}-${version}.tgz`)} --provenance --access public`,
);
process.stdout.write(`${FOLDER} is complete. Publish from CI, which signs the provenance:

  git tag v${version} && git push --tags
${commands.join('\n')}
`);
