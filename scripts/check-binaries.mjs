/**
 * `npm run check:binaries`: compares the binaries of uWebSockets.js, which `uws-pack` repackages,
 * with the checksums of lib/uws-checksums.json. With `-- --upstream FOLDER` it also compares them
 * with the upstream release; FOLDER is a checkout of the release's tag in the repository of
 * uWebSockets.js. Exit code 1 = a file differs or is missing. `-- --record` rewrites the checksums;
 * run it after an update of `uws-pack`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checksumsIn, differences } from './lib/binaries.mjs';
import { ROOT } from './lib/fresh.mjs';

const PACKAGE = join(ROOT, 'node_modules/uWebSockets.js');
const RECORD = join(ROOT, 'scripts/lib/uws-checksums.json');

const { values } = parseArgs({
  options: { upstream: { type: 'string' }, record: { type: 'boolean', default: false } },
});
const { name, version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
const installed = checksumsIn(join(PACKAGE, 'dist/bin'));
if (values.record) {
  const record = { package: `${name}@${version}`, sha256: installed };
  writeFileSync(RECORD, `${JSON.stringify(record, null, 2)}\n`);
}
const record = JSON.parse(readFileSync(RECORD, 'utf8'));
const found = [
  ...(record.package === `${name}@${version}`
    ? []
    : [`installed is ${name}@${version}, the checksums are of ${record.package}`]),
  ...differences(record.sha256, installed, 'the record'),
  ...(values.upstream === undefined
    ? []
    : differences(checksumsIn(values.upstream), installed, 'the upstream release')),
];
for (const line of found) console.log(line);
const count = Object.keys(installed).length;
if (found.length === 0) {
  const upstream =
    values.upstream === undefined
      ? ' The upstream release was not compared: name a checkout of it by `-- --upstream FOLDER`.'
      : ' They are those of the upstream release.';
  console.log(`${count} binaries of ${record.package} have the recorded checksums.${upstream}`);
}
process.exitCode = found.length === 0 ? 0 : 1;
