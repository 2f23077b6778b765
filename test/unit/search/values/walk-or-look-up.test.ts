/**
 * Goal: a search walks ordered entries when it is likely to find a page soon, and looks documents
 * up when the documents of the set are sparse.
 */
import { describe, expect, it } from 'vitest';
import { walksToPage } from '../../../../src/search/values/walk-or-look-up.ts';

describe('the choice between walking entries and looking documents up', () => {
  it('walks for large sets, and for smaller sets if there are few entries to skip', () => {
    expect([walksToPage(60_000, 69_000, 8), walksToPage(50, 40, 8)]).toEqual([true, true]);
    expect([walksToPage(100, 69_000, 8), walksToPage(1000, 1_000_000, 8)]).toEqual([false, false]);
  });

  it('walks for smaller sets if a look-up costs more', () => {
    expect([walksToPage(1000, 30_000, 1), walksToPage(1000, 30_000, 1 / 4)]).toEqual([true, false]);
  });

  it('walks when both are likely to cost the same', () => {
    const [setCount, entryCount] = [100, 500];
    expect([
      walksToPage(setCount, entryCount, 1),
      walksToPage(setCount, entryCount + 1, 1),
    ]).toEqual([true, false]);
  });

  it('looks nothing up when the set is empty', () => {
    expect(walksToPage(0, 1, 8)).toBe(false);
  });
});
