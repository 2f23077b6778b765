/** How threads that answer people are given a processor. */
import { readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { takeTurnsPromptly, takeUsualTurns } from '../../../src/host/prompt-threads.ts';

const FIGURES = '/proc/thread-self/sched';

/** What the kernel says of the calling thread; null where it says nothing of it. */
function sliceOf(figures: () => string): string | null {
  try {
    return /^(?:se\.)?slice\s*:\s*(\S+)/m.exec(figures())?.[1] ?? null;
  } catch {
    return null;
  }
}

describe('threads that take their turns promptly', () => {
  it('ask for small portions, as do the threads that they start, and keep their priority', async () => {
    const readOwn = () => readFileSync(FIGURES, 'latin1');
    const before = sliceOf(readOwn);
    const nice = getPriority();
    takeTurnsPromptly();
    expect(getPriority()).toBe(nice);
    if (before === null || !knowsSlices()) return;
    expect(sliceOf(readOwn)).toBe('100000');
    const started = new Worker(
      `require('node:worker_threads').parentPort.postMessage(require('node:fs').readFileSync('${FIGURES}', 'latin1'))`,
      { eval: true },
    );
    const figures = await new Promise<string>((resolve) => started.once('message', resolve));
    expect(sliceOf(() => figures)).toBe('100000');
    takeUsualTurns();
    expect(sliceOf(readOwn)).toBe(before);
  });
});

function knowsSlices(): boolean {
  const [major = 0, minor = 0] = readFileSync('/proc/sys/kernel/osrelease', 'latin1')
    .split('.')
    .map(Number);
  return major > 6 || (major === 6 && minor >= 12);
}
