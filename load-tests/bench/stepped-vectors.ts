/**
 * Made vectors as documents: clustered unit vectors whose components are whole steps of 1e-5, so
 * that making one and writing its JSON takes a client less than reading it takes a server.
 */
import { randomOf } from './random.ts';

const LATENT = 32;
const CLUSTERS = 300;
/** Normal numbers that noise is taken from, at random places. */
const POOL = 1 << 20;
/** What vectors of all seeds have in common comes from this one. */
const COMMON_SEED = 7;
export const STEPS = 100_000;

export class SteppedVectors {
  /** Of the vector that was made last. */
  readonly steps: Int32Array;
  readonly #uniform: () => number;
  readonly #pool: Float32Array;
  readonly #projection: Float32Array;
  readonly #centres: readonly Float32Array[];
  readonly #values: Float32Array;

  constructor(dimensions: number, seed: number) {
    const uniform = randomOf(COMMON_SEED);
    const normal = (): number =>
      Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
    this.#pool = Float32Array.from({ length: POOL + dimensions }, normal);
    this.#projection = Float32Array.from({ length: LATENT * dimensions }, normal);
    this.#centres = Array.from({ length: CLUSTERS }, () =>
      Float32Array.from({ length: LATENT }, normal),
    );
    this.#uniform = randomOf(seed);
    this.#values = new Float32Array(dimensions);
    this.steps = new Int32Array(dimensions);
  }

  make(): Int32Array {
    const values = this.#values;
    const centre = this.#centres[this.#below(CLUSTERS)]!;
    const noise = this.#below(POOL);
    for (let d = 0; d < values.length; d++) values[d] = 0.3 * this.#pool[noise + d]!;
    const shift = this.#below(POOL - LATENT);
    for (let i = 0; i < LATENT; i++) {
      const weight = centre[i]! + 0.35 * this.#pool[shift + i]!;
      const row = i * values.length;
      for (let d = 0; d < values.length; d++) values[d]! += weight * this.#projection[row + d]!;
    }
    let square = 0;
    for (const value of values) square += value * value;
    const scale = STEPS / Math.sqrt(square);
    for (let d = 0; d < values.length; d++) this.steps[d] = Math.round(values[d]! * scale);
    return this.steps;
  }

  #below(end: number): number {
    return Math.floor(this.#uniform() * end);
  }
}

/** A number of the document below `GROUPS`, evenly spread: what filters ask for. */
export const GROUPS = 1_000;
export const groupOf = (id: number): number => (Math.imul(id, 2_654_435_761) >>> 0) % GROUPS;

/** The most bytes that a document takes. */
export const lineBytesMax = (dimensions: number): number => 80 + dimensions * 9;

/** Writes a line of NDJSON. @returns its end */
export function writeLine(out: Buffer, start: number, id: number, steps: Int32Array): number {
  let at = start;
  at += out.write(`{"id":${id},"group":${groupOf(id)},"_vectors":{"v":[`, at, 'latin1');
  for (const step of steps) {
    if (step < 0) out[at++] = 0x2d;
    let rest = Math.abs(step);
    out[at] = 0x30 + Math.floor(rest / STEPS);
    out[at + 1] = 0x2e;
    rest %= STEPS;
    for (let digit = 6; digit >= 2; digit--) {
      const tenth = (rest / 10) | 0;
      out[at + digit] = 0x30 + rest - tenth * 10;
      rest = tenth;
    }
    out[at + 7] = 0x2c;
    at += 8;
  }
  at += out.write(']}}\n', at - 1, 'latin1') - 1;
  return at;
}
