/** Facts about the machine, for usage figures. */
import fs from 'node:fs';
import os from 'node:os';

const KILOBYTE = 1024;
/** Mount points beyond this many are ignored. */
const MOUNTS_MAX = 1000;

function textOf(path: string): string {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The vendor's name of the system, such as `Debian GNU/Linux 12 (bookworm)`. */
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

const mountedDisks = (): string[] =>
  textOf('/proc/self/mounts')
    .split('\n', MOUNTS_MAX)
    .filter((line) => line.startsWith('/dev/'))
    .flatMap((line) => line.split(' ')[1] ?? []);

/** @param dataDir its mount point determines the disk */
export const hostFigures = (dataDir: string): Readonly<Record<string, string | number>> => ({
  'system.distribution': distribution(),
  'system.kernel_version': os.release(),
  'system.cores': os.availableParallelism(),
  'system.ram_size': Math.floor(os.totalmem() / KILOBYTE),
  'system.disk_size': Math.max(...[dataDir, ...mountedDisks()].map(diskBytes)),
});
