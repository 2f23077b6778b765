/** Results that searches keep: made once, apart by kind, key and lifetime, within their bounds. */
import { describe, expect, it } from 'vitest';
import { BudgetCache } from '../../../../src/core/budget-cache.ts';
import {
  KEPT,
  KeptResults,
  type KeptValue,
  NODE_POSITIONS_BYTES_MAX,
} from '../../../../src/search/snapshot/kept-results.ts';

const SUBJECTS = { generation: '1:2', content: 'content 1:1', file: 'file 1' };
const keptResults = (bytesMax = 1 << 24): KeptResults =>
  new KeptResults(new BudgetCache<KeptValue>(bytesMax), SUBJECTS);
const values = { kind: 'numbers', path: 'a' } as const;
const merged = (count: number) => ({ count, places: [] });

describe('kept results', () => {
  it('are made once', () => {
    const kept = keptResults();
    const make = (count: number) => kept.getOrMake(KEPT.mergedValues, values, () => merged(count));
    expect([make(1), make(2), kept.get(KEPT.mergedValues, values)]).toEqual(
      Array(3).fill(merged(1)),
    );
  });

  it('are made again when they are too large to be kept', () => {
    const kept = keptResults(100);
    const make = (count: number) => kept.getOrMake(KEPT.mergedValues, values, () => merged(count));
    expect([make(1), make(2)]).toEqual([merged(1), merged(2)]);
  });

  it('have names that no other kind has', () => {
    const names = Object.values(KEPT).map(({ lifetime, name }) => `${lifetime} ${name}`);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^\w+ \w+$/);
  });

  it('go with their lifetime and no other', () => {
    const kept = keptResults();
    const length = { wordCount: 1, field: 0 };
    kept.set(KEPT.mergedValues, values, merged(1));
    kept.set(KEPT.documentsOfLength, length, new Uint32Array(1));
    kept.forget('generation');
    expect(kept.get(KEPT.mergedValues, values)).toBeUndefined();
    expect(kept.get(KEPT.documentsOfLength, length)).toHaveLength(1);
    kept.forget('content');
    expect(kept.get(KEPT.documentsOfLength, length)).toBeUndefined();
  });

  it('are positions of a node only up to a megabyte', () => {
    const kept = keptResults();
    const positions = (bytes: number) => ({
      rows: 'docs' as const,
      offsets: new Uint32Array(0),
      keys: new Uint32Array(0),
      classes: new Uint8Array(bytes),
    });
    const key = (text: string) => ({ kind: 'word', text, isPrefix: false });
    for (const bytes of [NODE_POSITIONS_BYTES_MAX, NODE_POSITIONS_BYTES_MAX + 1])
      kept.set(KEPT.nodePositions, key(String(bytes)), positions(bytes));
    expect(kept.get(KEPT.nodePositions, key(String(NODE_POSITIONS_BYTES_MAX)))).toBeDefined();
    expect(kept.get(KEPT.nodePositions, key(String(NODE_POSITIONS_BYTES_MAX + 1)))).toBeUndefined();
  });
});
