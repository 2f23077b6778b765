/** What a node may show while it fetches files. */
import { describe, expect, it } from 'vitest';
import { ApplyOrder } from '../../../src/cluster/apply-order.ts';

const none = () => null;
const change = (position: number, index: readonly number[], row: readonly number[] = []) => ({
  position,
  index,
  row,
  kinds: [],
});

describe('the order in which commits are shown', () => {
  it('shows indexes of one commit together, and its tasks after them', () => {
    const order = new ApplyOrder(4);
    order.add([change(5, [1, 2], [10]), change(6, [], [11])]);
    expect(order.wanted()).toEqual([1, 2]);
    const uids = new Map([
      [1, 'b'],
      [2, 'a'],
    ]);
    const groups = order.groups(uids, none);
    expect(groups).toEqual([[1, 2]]);
    expect(order.rowsAfter([])).toEqual({ shown: [11], held: [10] });
    expect(order.rowsAfter(groups)).toEqual({ shown: [10, 11], held: [] });
    order.shown([1, 2], 6);
    order.rowsShown([10, 11]);
    expect(order.hasWork).toBe(false);
    expect(order.shownPosition).toBe(6);
  });

  it('waits with an index that takes over the uid of one that is being fetched', () => {
    const order = new ApplyOrder(0);
    order.add([change(1, [1])]);
    order.fetching([1], new Map([[1, 'films']]));
    // Index 1 is deleted, and index 2 created with its uid.
    order.add([change(2, [1], [5]), change(3, [2], [6])]);
    expect(order.wanted()).toEqual([2]);
    const uids = new Map([[2, 'films']]);
    expect(order.groups(uids, none)).toEqual([]);
    order.shown([1], 1);
    expect(order.wanted()).toEqual([1, 2]);
    const both = new Map([
      [1, null],
      [2, 'films'],
    ]);
    expect(order.groups(both, () => 1)).toEqual([[2, 1]]);
  });

  it('shows a fetched state although the index has changed again', () => {
    const order = new ApplyOrder(0);
    order.add([change(1, [1], [5])]);
    order.fetching([1], new Map([[1, 'films']]));
    order.add([change(2, [1], [6])]);
    order.shown([1], 1);
    expect(order.rowsAfter([])).toEqual({ shown: [5], held: [6] });
    expect(order.wanted()).toEqual([1]);
    expect(order.shownPosition).toBe(1);
  });

  it('reads the state again after a fetch that failed', () => {
    const order = new ApplyOrder(0);
    order.add([change(1, [1])]);
    order.fetching([1], new Map([[1, 'films']]));
    expect(order.hasWork).toBe(false);
    order.failed([1]);
    expect(order.wanted()).toEqual([1]);
  });
});
