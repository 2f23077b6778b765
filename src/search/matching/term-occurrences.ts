/** Occurrences without those in deleted documents. */
import type { OccurrenceBuffer } from '../../engine/postings/occurrence-key.ts';
import { hasBit } from '../../engine/sets/bitset.ts';

export function dropDead(occurrences: OccurrenceBuffer, dead: Uint32Array): void {
  const { docs, keys, length } = occurrences;
  let kept = 0;
  for (let i = 0; i < length; i++) {
    if (hasBit(dead, docs[i]!)) continue;
    docs[kept] = docs[i]!;
    keys[kept++] = keys[i]!;
  }
  occurrences.length = kept;
}
