/**
 * A packed tree of bounding boxes over items in a fixed order. A node of the lowest level covers
 * `FANOUT` items that follow each other, a node of a higher level as many nodes; the top level is
 * one node. A box is four floats: south, west, north, east.
 */
import { assert } from '../../core/assert.ts';

export const FANOUT = 16;
export const BOX_FLOATS = 4;

/** Number of nodes of each level, the lowest first. */
export function levelSizes(itemCount: number): number[] {
  const sizes: number[] = [];
  for (let nodes = itemCount; nodes > 1 || sizes.length === 0; ) {
    nodes = Math.ceil(nodes / FANOUT);
    sizes.push(nodes);
    if (nodes === 0) break;
  }
  return sizes;
}

export const treeFloats = (itemCount: number): number =>
  levelSizes(itemCount).reduce((sum, size) => sum + size, 0) * BOX_FLOATS;

/** Boxes of all nodes, level after level; `itemBoxes` are in tree order. */
export function packTree(itemBoxes: Float64Array): Float64Array {
  const itemCount = itemBoxes.length / BOX_FLOATS;
  const tree = new Float64Array(treeFloats(itemCount));
  let below = itemBoxes;
  let at = 0;
  for (const size of levelSizes(itemCount)) {
    const level = tree.subarray(at, at + size * BOX_FLOATS);
    for (let node = 0; node < size; node++) {
      const [start, end] = [node * FANOUT * BOX_FLOATS, (node + 1) * FANOUT * BOX_FLOATS];
      // A box is two points: its corners in the south-west and in the north-east.
      level.set(boundsOf(below.subarray(start, end)), node * BOX_FLOATS);
    }
    below = level;
    at += level.length;
  }
  return tree;
}

/** South, west, north and east of points, each a latitude and a longitude. */
export function boundsOf(points: ArrayLike<number>): readonly [number, number, number, number] {
  let [south, west, north, east] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at + 1 < points.length; at += 2) {
    south = Math.min(south, points[at]!);
    west = Math.min(west, points[at + 1]!);
    north = Math.max(north, points[at]!);
    east = Math.max(east, points[at + 1]!);
  }
  return [south, west, north, east];
}

export const Verdict = { none: 0, some: 1, all: 2 } as const;
export type Verdict = (typeof Verdict)[keyof typeof Verdict];

export class BoxTree {
  /** South, west, north and east of every node, level after level. */
  readonly boxes: Float64Array;
  readonly itemCount: number;
  /** Position of the first node of each level in `boxes`. */
  readonly #starts: readonly number[];
  readonly #sizes: readonly number[];

  constructor(boxes: Float64Array, itemCount: number) {
    assert(
      boxes.length === treeFloats(itemCount),
      'a tree of boxes has the nodes that its items need',
    );
    this.boxes = boxes;
    this.itemCount = itemCount;
    this.#sizes = levelSizes(itemCount);
    let start = 0;
    this.#starts = this.#sizes.map((size) => {
      start += size * BOX_FLOATS;
      return start - size * BOX_FLOATS;
    });
  }

  get topLevel(): number {
    return this.#sizes.length - 1;
  }

  /** Position of a node's box in `boxes`. */
  boxAt(level: number, node: number): number {
    return this.#starts[level]! + node * BOX_FLOATS;
  }

  /** Past the last child of `node`: an item when `level` is 0, else a node of the level below. */
  childEnd(level: number, node: number): number {
    return Math.min((node + 1) * FANOUT, level === 0 ? this.itemCount : this.#sizes[level - 1]!);
  }

  /**
   * Visits the runs `[start, end)` of items below nodes that `judge` (given the position of a box)
   * does not refuse.
   */
  search(
    judge: (boxAt: number) => Verdict,
    visit: (start: number, end: number, isWhole: boolean) => void,
  ): void {
    if (this.itemCount > 0) this.#search(this.topLevel, 0, judge, visit);
  }

  #search(
    level: number,
    node: number,
    judge: (boxAt: number) => Verdict,
    visit: (start: number, end: number, isWhole: boolean) => void,
  ): void {
    const verdict = judge(this.boxAt(level, node));
    if (verdict === Verdict.none) return;
    if (verdict === Verdict.all || level === 0) {
      const span = FANOUT ** (level + 1);
      visit(node * span, Math.min(this.itemCount, (node + 1) * span), verdict === Verdict.all);
      return;
    }
    const end = this.childEnd(level, node);
    for (let child = node * FANOUT; child < end; child++)
      this.#search(level - 1, child, judge, visit);
  }
}
