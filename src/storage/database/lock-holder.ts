/**
 * Which process holds a lock: noted in a file by whoever has taken it, for the message to the next
 * one who wants it. The lock itself is somebody else's; a note without a lock says nothing.
 */
import fs from 'node:fs';

export function noteHolder(file: string): void {
  fs.writeFileSync(file, `${process.pid}\n`);
}

export function forgetHolder(file: string): void {
  fs.rmSync(file, { force: true });
}

/** Process id; null when nobody noted it or the process is gone. */
export function holderOf(file: string): number | null {
  if (!fs.existsSync(file)) return null;
  const pid = Number(fs.readFileSync(file, 'utf8'));
  return Number.isSafeInteger(pid) && pid > 0 && isAlive(pid) ? pid : null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
