/**
 * A fixed pseudo-random rotation: rounds of random signs and fast Walsh–Hadamard transforms of the
 * first and of the last 2ⁿ dimensions. Costs dimensions × n additions a round.
 */
import { product } from './products';

/** Steps of 4 and more: whole lanes. */
function wideSteps(at: usize, width: i32): void {
  const end = at + ((<usize>width) << 2);
  for (let half: usize = 16; half < (<usize>width) << 2; half <<= 1) {
    for (let pair = at; pair < end; pair += half << 1) {
      for (let a = pair; a < pair + half; a += 16) {
        const low = v128.load(a);
        const high = v128.load(a + half);
        v128.store(a, f32x4.add(low, high));
        v128.store(a + half, f32x4.sub(low, high));
      }
    }
  }
}

/** Steps of 1 and 2 inside each four, and the factor that keeps lengths. */
function narrowSteps(at: usize, width: i32, factor: f32): void {
  const end = at + ((<usize>width) << 2);
  const factors = f32x4.splat(factor);
  for (; at < end; at += 16) {
    let v = v128.load(at);
    let a = v128.shuffle<f32>(v, v, 0, 0, 2, 2);
    let b = v128.shuffle<f32>(v, f32x4.neg(v), 1, 5, 3, 7);
    v = f32x4.add(a, b);
    a = v128.shuffle<f32>(v, v, 0, 1, 0, 1);
    b = v128.shuffle<f32>(v, f32x4.neg(v), 2, 3, 6, 7);
    v128.store(at, f32x4.mul(f32x4.add(a, b), factors));
  }
}

function transform(at: usize, width: i32): void {
  wideSteps(at, width);
  narrowSteps(at, width, <f32>(1 / Math.sqrt(<f64>width)));
}

/** Divides a vector by its length; a zero vector stays. */
export function normalize(vector: usize, dimensions: i32): void {
  const square = product(vector, vector, dimensions);
  if (square === 0) return;
  const factor = f32x4.splat(<f32>(1 / Math.sqrt(<f64>square)));
  for (const end = vector + ((<usize>dimensions) << 2); vector < end; vector += 16)
    v128.store(vector, f32x4.mul(v128.load(vector), factor));
}

/** In-place. `signs` are rounds × dimensions of ±1. */
export function rotate(vector: usize, dimensions: i32, signs: usize, rounds: i32): void {
  const bytes = (<usize>dimensions) << 2;
  const width = 1 << (31 - clz(dimensions));
  for (let round = 0; round < rounds; round++, signs += bytes) {
    for (let i: usize = 0; i < bytes; i += 16)
      v128.store(vector + i, f32x4.mul(v128.load(vector + i), v128.load(signs + i)));
    transform(vector, width);
    if (width < dimensions) transform(vector + bytes - ((<usize>width) << 2), width);
  }
}
