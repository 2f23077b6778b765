/** Centroids of many vectors by k-means (Lloyd) on a sample. */
import { type AssignmentMemory, BATCH, type VectorSource } from './assignment-memory.ts';

const SAMPLES_A_CLUSTER = 32;
const SAMPLES_MIN = 1_024;
/** Each round costs as much as encoding the sample. */
const ROUNDS = 3;

/** Fills the centroids of `memory` and indexes them. Deterministic. */
export function trainClusters(memory: AssignmentMemory, source: VectorSource): void {
  const { clusters } = memory;
  const wanted = Math.max(SAMPLES_MIN, clusters * SAMPLES_A_CLUSTER);
  const sampleCount = Math.min(source.count, wanted);
  const stride = source.count / sampleCount;
  const sample = Uint32Array.from({ length: sampleCount }, (_, i) => Math.floor(i * stride));
  startFromSample(memory, source, sample);
  const rounds = clusters === 1 ? 1 : ROUNDS;
  for (let round = 0; round < rounds; round++) moveCentroids(memory, source, sample);
}

function startFromSample(
  memory: AssignmentMemory,
  source: VectorSource,
  sample: Uint32Array,
): void {
  const { kernels, clusters, codes } = memory;
  const stride = sample.length / clusters;
  for (let cluster = 0; cluster < clusters; cluster++) {
    memory.place(source, [sample[Math.floor((cluster + 0.5) * stride)]!]);
    kernels.bytes.copyWithin(
      memory.centroidAt(cluster),
      memory.vectors,
      memory.vectors + codes.vectorBytes,
    );
  }
  memory.indexCentroids();
}

/** Moves every centroid to the mean of its vectors of the sample. */
function moveCentroids(memory: AssignmentMemory, source: VectorSource, sample: Uint32Array): void {
  memory.forgetSums();
  for (let from = 0; from < sample.length; from += BATCH) {
    const batch = sample.subarray(from, from + BATCH);
    memory.place(source, batch);
    memory.assign(batch.length);
    memory.accumulate(batch.length);
  }
  writeMeans(memory);
  memory.indexCentroids();
}

/** A centroid without vectors moves next to the centroid with the most vectors. */
function writeMeans(memory: AssignmentMemory): void {
  const { floats, words } = memory.kernels;
  const { dimensions } = memory.codes;
  const counts = words.subarray(memory.counts / 4, memory.counts / 4 + memory.clusters);
  const shares = counts.slice();
  for (let cluster = 0; cluster < counts.length; cluster++) {
    const isEmpty = counts[cluster] === 0;
    const from = isEmpty ? placeOfLargest(shares) : cluster;
    if (isEmpty) shares[from]! >>>= 1;
    const into = memory.centroidAt(cluster) / 4;
    for (let d = 0; d < dimensions; d++) {
      const mean = floats[memory.sums / 4 + from * dimensions + d]! / counts[from]!;
      floats[into + d] = isEmpty ? mean * (d & 1 ? 1.02 : 0.98) : mean;
    }
  }
}

function placeOfLargest(numbers: Uint32Array): number {
  let place = 0;
  for (let i = 1; i < numbers.length; i++) if (numbers[i]! > numbers[place]!) place = i;
  return place;
}
