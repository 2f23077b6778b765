/**
 * Records which process holds a lock, for the error message of the next process. The lock itself is
 * taken elsewhere; a record without a lock has no meaning.
 */
import fs from 'node:fs';

export function noteHolder(file: string): void {
  fs.writeFileSync(file, `${process.pid}\n`);
}

export function forgetHolder(file: string): void {
  fs.rmSync(file, { force: true });
}

/** Process id; null if there is no record or the process has ended. */
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
