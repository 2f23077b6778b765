/** Vectors made by a fixed sequence: unit length, clustered, on a manifold of few dimensions. */

const LATENT = 32;
const CLUSTERS = 300;
/** What all vectors of one kind have in common comes from this seed. */
const COMMON_SEED = 7;

/** Normal numbers by a fixed sequence. */
function normals(seed: number): () => number {
  let state = seed >>> 0;
  const uniform = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 1) / 4_294_967_297;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** @param seed of the vectors that follow; those of all seeds have the same clusters */
export function madeVectors(dimensions: number, seed = 0): () => Float32Array {
  const common = normals(COMMON_SEED);
  const floats = (normal: () => number, count: number, scale = 1) =>
    Float32Array.from({ length: count }, () => normal() * scale);
  const projection = floats(common, LATENT * dimensions, 1 / Math.sqrt(LATENT));
  const centres = Array.from({ length: CLUSTERS }, () => floats(common, LATENT));
  const normal = seed === 0 ? common : normals(seed);
  return () => {
    const centre = centres[Math.floor(Math.abs(normal() * 1e6)) % CLUSTERS]!;
    const latent = centre.map((value) => value + 0.35 * normal());
    const vector = floats(normal, dimensions, 0.05);
    for (let i = 0; i < LATENT; i++)
      for (let d = 0; d < dimensions; d++)
        vector[d]! += latent[i]! * projection[i * dimensions + d]!;
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  };
}
