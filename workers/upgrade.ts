/** Process entry of an upgrade of the data folder, before any other process uses it. */
import { packageVersion } from '../config/version.ts';
import { freeBytesAt } from '../src/storage/files/free-bytes.ts';
import { upgradeFolder } from '../src/upgrade/upgrade-folder.ts';
import { runOnce } from './one-off-entry.ts';

await runOnce({
  name: 'upgrade',
  consequence: 'the data folder is unchanged',
  run: ({ dbPath: root }, log) =>
    upgradeFolder({ root, log, release: packageVersion(), freeBytes: () => freeBytesAt(root) }),
});
