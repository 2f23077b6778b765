/** Finds the nearest of many centroids, by codes first and exactly among the best candidates. */
import { product } from './products';
import { lookUp, scan } from './scan';

/** Centroids that are compared exactly. */
const CANDIDATES = 8;

/**
 * Takes `count` pairs of place and estimate into the `kept` best so far, which are at `best` in
 * ascending order of their estimates; returns how many are kept now.
 */
function keepBest(pairs: usize, count: i32, best: usize, kept: i32): i32 {
  for (let i = 0; i < count; i++, pairs += 8) {
    const estimate = load<f32>(pairs, 4);
    let at = 0;
    if (kept < CANDIDATES) {
      for (at = kept++; at > 0 && estimateAt(best, at - 1) > estimate; at--) move(best, at - 1, at);
    } else {
      if (estimate <= estimateAt(best, 0)) continue;
      for (; at + 1 < kept && estimateAt(best, at + 1) < estimate; at++) move(best, at + 1, at);
    }
    store<u64>(best + ((<usize>at) << 3), load<u64>(pairs));
  }
  return kept;
}

function estimateAt(best: usize, place: i32): f32 {
  return load<f32>(best + ((<usize>place) << 3), 4);
}

function move(best: usize, from: i32, to: i32): void {
  store<u64>(best + ((<usize>to) << 3), load<u64>(best + ((<usize>from) << 3)));
}

/** The best candidates of all centroids, block by block; returns their number. */
function findCandidates(
  blocks: usize,
  centroidCount: i32,
  dimensions: i32,
  table: usize,
  best: usize,
  scratch: usize,
): i32 {
  const blockBytes = ((<usize>dimensions) << 2) + 256;
  const pairs = scratch + 128;
  let kept = 0;
  for (let first = 0; first < centroidCount; first += 32, blocks += blockBytes) {
    const least = kept < CANDIDATES ? -Infinity : estimateAt(best, 0);
    let found = scan(blocks, 1, table, dimensions, 1, <f32>least, first, pairs, scratch);
    // Places above the last centroid come last.
    while (found > 0 && load<i32>(pairs + ((<usize>(found - 1)) << 3)) >= centroidCount) found--;
    kept = keepBest(pairs, found, best, kept);
  }
  return kept;
}

/**
 * Writes the number of the nearest centroid (least distance) of each of `count` vectors as u32 at
 * `into`.
 * @param blocks 1-bit codes of the centroids, with penalty |c|² / 2
 * @param halves f32 |c|² / 2 of each centroid
 * @param scratch table (dimensions × 4 bytes and 16 before it), best (64), sums (128), pairs (256)
 */
export function assign(
  vectors: usize,
  count: i32,
  dimensions: i32,
  centroids: usize,
  halves: usize,
  centroidCount: i32,
  blocks: usize,
  into: usize,
  scratch: usize,
): void {
  const bytes = (<usize>dimensions) << 2;
  const table = scratch + 16;
  const best = table + bytes;
  for (let i = 0; i < count; i++, vectors += bytes, into += 4) {
    lookUp(vectors, dimensions, table);
    const kept = findCandidates(blocks, centroidCount, dimensions, table, best, best + 64);
    let nearest: u32 = 0;
    let highest: f32 = -Infinity;
    for (let j = 0; j < kept; j++) {
      const centroid = load<u32>(best + ((<usize>j) << 3));
      const row = centroids + <usize>centroid * bytes;
      const value =
        product(vectors, row, dimensions) - load<f32>(halves + ((<usize>centroid) << 2));
      if (value > highest) {
        highest = value;
        nearest = centroid;
      }
    }
    store<u32>(into, nearest);
  }
}
