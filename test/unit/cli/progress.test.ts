/** The line about running work, with a clock of the test. */
import { describe, expect, it } from 'vitest';
import { Progress } from '../../../src/cli/progress.ts';

const MIB = 1024 ** 2;

describe('a progress line', () => {
  it('has a bar and a label first, rate and time left once they can be measured', () => {
    let nowMs = 0;
    const progress = new Progress(() => nowMs);
    expect(progress.line(0, 'a.json: sending', 0)).toBe(`[${' '.repeat(30)}] 0 % a.json: sending`);
    nowMs = 10_000;
    expect(progress.line(0.25, 'a.json: sending', 20 * MIB)).toContain(
      '] 25 % a.json: sending (2 MiB/s, 30 s left)',
    );
    nowMs = 100_000;
    expect(progress.line(0.5, 'a.json: sending', 20 * MIB)).toContain(', 2 min left)');
  });

  it('counts only the work of this run for the time left', () => {
    let nowMs = 0;
    const progress = new Progress(() => nowMs);
    progress.line(0.5, 'sending');
    nowMs = 10_000;
    expect(progress.line(0.75, 'sending')).toContain('75 % sending (10 s left)');
  });

  it('names no time where nothing has been done', () => {
    let nowMs = 0;
    const progress = new Progress(() => nowMs);
    progress.line(0, 'indexing');
    nowMs = 60_000;
    expect(progress.line(0, 'indexing')).toMatch(/indexing$/);
    expect(progress.line(1, 'indexing')).toMatch(/indexing$/);
  });
});
