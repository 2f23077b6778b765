/** The machine that the server runs on, as far as usage figures tell it. */
import fs from 'node:fs';
import os from 'node:os';

const KILOBYTE = 1024;
/** Lists of more mounts are looked at no further. */
const MOUNTS_MAX = 1000;

function textOf(path: string): string {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** As the vendor of the system names it, such as `Debian GNU/Linux 12 (bookworm)`. */
function distribution(): string {
  const [, name] = /^PRETTY_NAME="?([^"\n]{1,80})"?$/m.exec(textOf('/etc/os-release')) ?? [];
  return name ?? os.type();
}

function diskBytes(folder: string): number {
  try {
    const { blocks, bsize } = fs.statfsSync(folder);
    return blocks * bsize;
  } catch {
    return 0;
  }
}

/** Folders that disks are mounted at. */
const mountedDisks = (): string[] =>
  textOf('/proc/self/mounts')
    .split('\n', MOUNTS_MAX)
    .filter((line) => line.startsWith('/dev/'))
    .flatMap((line) => line.split(' ')[1] ?? []);

/** @param dataDir lies on a disk, wherever that is mounted */
export const hostFigures = (dataDir: string): Readonly<Record<string, string | number>> => ({
  'system.distribution': distribution(),
  'system.kernel_version': os.release(),
  'system.cores': os.availableParallelism(),
  'system.ram_size': Math.floor(os.totalmem() / KILOBYTE),
  'system.disk_size': Math.max(...[dataDir, ...mountedDisks()].map(diskBytes)),
});
